"""The test vectors of claims, judged by another program than the one that wrote them: docs/claims.md in Python alone."""

import base64
import hashlib
import json
import math
from decimal import Decimal
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / 'crates' / 'claims' / 'test_vectors'
VECTORS = {it.stem: json.loads(it.read_text()) for it in sorted(FOLDER.glob('*.json'))}
TAG = b'memory.claim.v1\n'

# Ed25519 (RFC 8032, 5.1): the curve -x^2 + y^2 = 1 + d x^2 y^2 modulo P, with a base point of the prime order ORDER.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def add(one, other):
    """Add two points, as (X, Y, Z, T) with x = X / Z, y = Y / Z and x y = T / Z."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * D * one[3] * other[3] % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    """Add a point to itself so often."""
    total = NEUTRAL
    while number:
        if number & 1:
            total = add(total, point)
        point = add(point, point)
        number >>= 1
    return total


def is_same(one, other):
    """Whether two points are the same one."""
    return all((one[it] * other[2] - other[it] * one[2]) % P == 0 for it in (0, 1))


def point(data):
    """Read a point: y, with the lowest bit of x in the highest one. None when it is none."""
    y = int.from_bytes(data, 'little')
    x_is_odd, y = y >> 255, y & (2**255 - 1)
    above, below = (y * y - 1) % P, (D * y * y + 1) % P
    x = above * pow(below, 3, P) * pow(above * pow(below, 7, P), (P - 5) // 8, P) % P
    if below * x * x % P == -above % P:
        x = x * ROOT_OF_MINUS_1 % P
    if len(data) != 32 or y >= P or below * x * x % P != above or (x == 0 and x_is_odd):
        return None
    x = -x % P if x & 1 != x_is_odd else x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))


def is_signed(key, text, signature):
    """Whether a text has this signature by the owner of a public key."""
    key_point, commitment = point(key), point(signature[:32])
    response = int.from_bytes(signature[32:], 'little')
    if key_point is None or commitment is None or len(signature) != 64 or response >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + text).digest()
    challenge = int.from_bytes(digest, 'little') % ORDER
    return is_same(times(response, BASE), add(commitment, times(challenge, key_point)))


def public_key(seed):
    """Make the public key of a secret one."""
    secret = int.from_bytes(hashlib.sha512(seed).digest()[:32], 'little')
    x, y, z, _ = times(secret & (2**254 - 8) | 2**254, BASE)
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


def number(value):
    """Write a number as ECMAScript does: the shortest digits, with an exponent where it is far from 1."""
    if isinstance(value, int):
        return str(value)
    assert math.isfinite(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    sign, digits = '-' * sign, ''.join(map(str, digits))
    # Of 0.digits times ten to the power of this.
    power = len(digits) + exponent
    digits = digits.rstrip('0')
    if not digits:
        return '0'
    if len(digits) <= power <= 21:
        return sign + digits.ljust(power, '0')
    if 0 < power <= 21:
        return f'{sign}{digits[:power]}.{digits[power:]}'
    if -6 < power <= 0:
        return f'{sign}0.{"0" * -power}{digits}'
    tail = f'.{digits[1:]}' if digits[1:] else ''
    return f'{sign}{digits[0]}{tail}e{power - 1:+d}'


def canonical(value):
    """Write JSON in the form of RFC 8785."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda it: it.encode('utf-16-be'))
        return '{' + ','.join(f'{canonical(it)}:{canonical(value[it])}' for it in keys) + '}'
    if isinstance(value, list):
        return '[' + ','.join(canonical(it) for it in value) + ']'
    if isinstance(value, (bool, str)) or value is None:
        return json.dumps(value, ensure_ascii=False)
    return number(value)


def is_authentic(vector, message=None, tag=TAG, key=None):
    """Whether the message of a vector is signed by the key that is known."""
    envelope = json.loads(message or vector['message'])
    text = tag + canonical(envelope['claim']).encode()
    signature = base64.b64decode(envelope['signature'], validate=True)
    return is_signed(key or base64.b64decode(vector['public_key']), text, signature)


def message_id(claim):
    """What JetStream knows the message by."""
    origin, memory_id = claim['origin'], claim['memory_id']
    if claim['op'] == 'revoke':
        return f'{origin}:revoke:{memory_id}'
    if claim['op'] == 'receipt':
        return f'{origin}:receipt:{claim["target"]["origin"]}:{claim["target"]["memory_id"]}'
    return f'{origin}:{memory_id}:{claim["revision"]}'


def named(part):
    """Return the names of the vectors that have a part."""
    return [name for name, vector in VECTORS.items() if part in vector]


def test_this_program_verifies_the_signature_of_rfc_8032():
    key = bytes.fromhex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
    signature = bytes.fromhex(
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da'
        '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
    )
    assert is_signed(key, b'\x72', signature) and not is_signed(key, b'\x73', signature)


@pytest.mark.parametrize('value, text', [
    (0.0, '0'), (-0.0, '0'), (1.0, '1'), (-1.5, '-1.5'), (0.1, '0.1'), (1e-6, '0.000001'),
    (1e-7, '1e-7'), (1.5e-9, '1.5e-9'), (1e20, '100000000000000000000'), (1e21, '1e+21'),
    (123456.789, '123456.789'), (4.35, '4.35'), (2**53 - 1, '9007199254740991'),
    (0.00123, '0.00123'), (5e-324, '5e-324'), (1.7976931348623157e308, '1.7976931348623157e+308'),
])
def test_this_program_writes_numbers_as_ecmascript(value, text):
    assert number(value) == text


def test_there_are_vectors_of_each_kind():
    assert len(named('accepted')) >= 15 and len(named('refused')) >= 11
    ops = {VECTORS[it]['accepted']['claim']['op'] for it in named('accepted')}
    assert ops == {'assert', 'revise', 'confirm', 'contradict', 'retract', 'revoke', 'receipt'}


@pytest.mark.parametrize('name', named('accepted'))
def test_what_is_to_be_accepted_is_canonical_and_signed(name):
    vector = VECTORS[name]
    accepted, envelope = vector['accepted'], json.loads(vector['message'])
    assert envelope == {'claim': accepted['claim'], 'signature': accepted['signature']}
    assert canonical(envelope['claim']) == accepted['canonical']
    assert envelope['claim']['origin'] == vector['known']
    assert message_id(envelope['claim']) == accepted['message_id']
    assert is_authentic(vector)


# By whom and with what tag those are signed that do not fit what is known; else by the known key, with the tag of v1.
SIGNED = {
    'refused_tag': {'tag': b''},
    'refused_version': {'tag': b'memory.claim.v2\n'},
    'refused_signer': {'key': public_key(bytes([2] * 32))},
    'refused_origin': {'key': public_key(bytes([4] * 32))},
}

REASONS = ('unknown_version', 'malformed', 'unknown_robot', 'bad_signature', 'invalid')


@pytest.mark.parametrize('name', named('refused'))
def test_what_is_to_be_refused_is_signed_as_its_reason_says(name):
    vector = VECTORS[name]
    assert vector['refused'] in REASONS
    if name == 'refused_change':
        message = vector['message'].replace('72.5 N', '12.5 N', 1)
        assert not is_authentic(vector) and is_authentic(vector, message)
        return
    assert is_authentic(vector, **SIGNED.get(name, {}))
    assert is_authentic(vector) == (name not in SIGNED)


def test_one_changed_character_is_one_too_many():
    vector = VECTORS['assert']
    for old, new in [('12.5 N.', '12.6 N.'), ('"revision":3', '"revision":4'), ('0uSL', '0uSM')]:
        changed = vector['message'].replace(old, new, 1)
        assert changed != vector['message'] and not is_authentic(vector, changed)
