"""Turns runs into a table with intervals, claims and a plot; `report.py FOLDER` does so again."""

import json
import sys
from pathlib import Path

import numpy as np

RESAMPLES = 4000
WITHIN_ATTEMPTS = 5
GAIN_CLEAN, GAIN_NOISY, LOSS_MAX = 0.95, 0.85, 0.05
# With --reduced, intervals are wide: so much less is enough.
SLACK = 0.10
CONTROLS = ('none', 'mean', 'random', 'wrong_object', 'nearest_text')


class Results:
    """All runs of one task, and paired resamples of them."""

    def __init__(self, task, runs):
        self.task = task
        self.runs = {}
        for run in runs:
            self.runs.setdefault((run['arm'], run['condition']), {})[run['seed']] = run
        self.keys = list(self.runs)
        self.second_half = {key: self.by_thing(key) for key in self.keys}
        shape = next(iter(self.second_half.values())).shape
        # All arms are resampled by the same draws: whole things of whole seeds.
        self.draws = np.random.default_rng(1).integers(shape[0], size=(RESAMPLES, shape[0]))

    def by_thing(self, key):
        """Successes and episodes of the second half, by seed and thing."""
        rows = []
        for _, run in sorted(self.runs[key].items()):
            half = len(run['success']) // 2
            success, thing = np.array(run['success'][half:]), np.array(run['thing'][half:])
            rows += [(success[thing == it].sum(), (thing == it).sum()) for it in sorted(set(run['thing']))]
        return np.array(rows, float)

    def find(self, arm, condition='clean'):
        """Find the key of an arm: one without names has no condition."""
        for key in ((arm, condition), (arm, '')):
            if key in self.runs:
                return key
        return None

    def rate(self, key):
        """Success in the second half."""
        successes, episodes = self.second_half[key].sum(axis=0)
        return successes / episodes

    def rates(self, key):
        """Compute the same of each resample."""
        drawn = self.second_half[key][self.draws].sum(axis=1)
        return drawn[:, 0] / drawn[:, 1]

    def difference(self, key, other):
        """Success of one minus that of another, with its interval."""
        return self.rate(key) - self.rate(other), interval(self.rates(key) - self.rates(other))

    def share(self, key):
        """Share of what the oracle gains over none, with its interval."""
        none, oracle = self.find('none'), self.find('oracle')
        gain = self.rate(oracle) - self.rate(none)
        gains = self.rates(oracle) - self.rates(none)
        if gain <= 0 or gains.min() <= 0:
            return None, [None, None]
        shares = (self.rates(key) - self.rates(none)) / gains
        return (self.rate(key) - self.rate(none)) / gain, interval(shares)

    def regret(self, key):
        """Successes that the oracle had more, in all episodes of a seed."""
        oracle = self.runs[self.find('oracle')]
        runs = self.runs[key].items()
        return float(np.mean([sum(oracle[seed]['success']) - sum(run['success']) for seed, run in runs]))

    def until_success(self, key):
        """Attempts on the changed thing until it succeeds again, seed by seed; none: it never did."""
        counts = []
        for _, run in sorted(self.runs[key].items()):
            half = len(run['success']) // 2
            pairs = zip(run['thing'][half:], run['success'][half:])
            after = [success for thing, success in pairs if thing == run['changed_thing']]
            counts.append(after.index(1) + 1 if 1 in after else None)
        return counts

    def curve(self, key, window):
        """Success in windows of episodes."""
        all_runs = np.array([run['success'] for run in self.runs[key].values()], float)
        count = all_runs.shape[1] // window
        return all_runs[:, :count * window].reshape(len(all_runs), count, window).mean(axis=(0, 2))

    def row(self, key):
        """Compute all figures of an arm."""
        row = {'task': self.task, 'arm': key[0], 'condition': key[1], 'success': self.rate(key)}
        halves = {seed: run['success'][len(run['success']) // 2:] for seed, run in self.runs[key].items()}
        row['seeds'] = {seed: float(np.mean(half)) for seed, half in halves.items()}
        if self.find('none'):
            row['over_none'], row['over_none_interval'] = self.difference(key, self.find('none'))
        if self.find('none') and self.find('oracle'):
            row['share_of_gain'], row['share_of_gain_interval'] = self.share(key)
            row['regret'] = self.regret(key)
        if key[0] == 'ours_stale':
            row['attempts_until_success'] = self.until_success(key)
        return row


def interval(values):
    """Compute the 95 % interval of resamples."""
    return [float(it) for it in np.percentile(values, [2.5, 97.5])]


class Claims:
    """Each claim with its figure, and whether it holds."""

    def __init__(self, slack):
        self.slack = slack
        self.lines = []

    def add(self, what, holds, found, disproof):
        """Note a claim."""
        self.lines.append({'claim': what, 'holds': bool(holds), 'found': found, 'disproved_by': disproof})

    def check(self, results):
        """Check all claims on one task."""
        task = results.task
        has_oracle = results.find('none') and results.find('oracle')
        for condition, least in (('clean', GAIN_CLEAN), ('noisy', GAIN_NOISY)):
            ours = results.find('ours', condition)
            if not ours:
                continue
            if has_oracle:
                self.gain(results, ours, least)
                for arm in ('ours_10k', 'ours_sessions_7'):
                    other = results.find(arm, condition)
                    if other:
                        self.loss(results, ours, other)
            for control in CONTROLS:
                key = results.find(control, condition)
                if key:
                    found, (low, high) = results.difference(ours, key)
                    self.add(
                        f'{task}, {condition}: ours is better than {control}',
                        low > 0 or found > 0 and self.slack > 0,
                        f'{points(found)} [{points(low)}, {points(high)}] points',
                        'an interval of the paired difference that reaches 0',
                    )
            stale = results.find('ours_stale', condition)
            if stale:
                counts = results.until_success(stale)
                self.add(
                    f'{task}, {condition}: succeeds again within {WITHIN_ATTEMPTS} attempts on a changed thing',
                    all(count and count <= WITHIN_ATTEMPTS + 30 * self.slack for count in counts),
                    ', '.join(str(count or 'never') for count in counts),
                    f'a seed with more than {WITHIN_ATTEMPTS}',
                )
        for arm, condition in (('random', ''), ('wrong_object', 'clean'), ('wrong_object', 'noisy')):
            key = results.find(arm, condition) if condition or arm == 'random' else None
            if key and results.find('none'):
                found, (low, high) = results.difference(key, results.find('none'))
                self.add(
                    f'{task}{condition and ", " + condition}: {arm} is at or below none',
                    low <= 0,
                    f'{points(found)} [{points(low)}, {points(high)}] points',
                    'an interval of the paired difference above 0',
                )

    def gain(self, results, ours, least):
        """The share of the oracle's gain."""
        share, (low, high) = results.share(ours)
        if share is not None:
            self.add(
                f"{results.task}, {ours[1]}: ours has at least {least:.0%} of the oracle's gain",
                share >= least - self.slack,
                f'{share:.1%} [{low:.1%}, {high:.1%}]',
                'a smaller share',
            )

    def loss(self, results, ours, other):
        """What is lost of it under a burden."""
        share, changed = results.share(ours)[0], results.share(other)[0]
        if share is not None:
            self.add(
                f"{results.task}, {ours[1]}: {other[0]} loses at most {LOSS_MAX:.0%} of the oracle's gain",
                share - changed <= LOSS_MAX + self.slack,
                f'{100 * (share - changed):+.1f} points lost',
                'a greater loss',
            )


def points(value):
    """Write a difference of rates in points."""
    return f'{100 * value:+.1f}'


def table(rows):
    """Write a Markdown table of all arms: clean names, then noisy ones."""
    heads = ('success', 'over none, points', 'share of gain', 'regret')
    columns = [f'{head}{", noisy" * is_noisy}' for is_noisy in (False, True) for head in heads]
    lines = [f'| task | arm | {" | ".join(columns)} |', f'|---|---|{"---:|" * len(columns)}']
    by_arm = {}
    for row in rows:
        by_arm.setdefault((row['task'], row['arm']), {})[row['condition']] = row
    for (task, arm), found in by_arm.items():
        cells = [cell for it in ('clean', 'noisy') for cell in cells_of(found.get(it, found.get('')))]
        lines.append(f'| {task} | {arm} | {" | ".join(cells)} |')
    return '\n'.join(lines)


def cells_of(row):
    """Write the figures of an arm."""
    if not row:
        return [''] * 4
    cells = [f'{row["success"]:.1%}', '', '', '']
    if 'over_none' in row:
        low, high = row['over_none_interval']
        cells[1] = f'{points(row["over_none"])} [{points(low)}, {points(high)}]'
    if row.get('share_of_gain') is not None:
        low, high = row['share_of_gain_interval']
        cells[2] = f'{row["share_of_gain"]:.0%} [{low:.0%}, {high:.0%}]'
    if 'regret' in row:
        cells[3] = f'{row["regret"]:.1f}'
    return cells


def claims_table(lines):
    """Write a Markdown table of all claims."""
    rows = []
    for it in lines:
        mark = 'PASS' if it['holds'] else 'FAIL'
        rows.append(f'| {mark} | {it["claim"]} | {it["found"]} | {it["disproved_by"]} |')
    return '\n'.join(['| | claim | found | disproved by |', '|---|---|---|---|', *rows])


def plot(all_results, path, condition):
    """Draw learning curves above, success in the second half below."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    colors = {
        'none': '#888888', 'mean': '#c5a000', 'random': '#e08a00', 'wrong_object': '#c03030',
        'nearest_text': '#8050c0', 'ours': '#1060c0', 'oracle': '#202020',
    }  # fmt: skip
    figure, axes = plt.subplots(2, len(all_results), figsize=(4.3 * len(all_results), 7), squeeze=False)
    for results, (above, below) in zip(all_results, axes.T):
        keys = [key for key in results.keys if key[1] in ('', condition)]
        for key in keys:
            if key[0] in colors:
                length = len(next(iter(results.runs[key].values()))['success'])
                window = max(1, length // 10)
                curve = results.curve(key, window)
                xs = (np.arange(len(curve)) + 0.5) * window
                style = '--' if key[0] == 'oracle' else '-'
                above.plot(xs, curve, label=key[0], color=colors[key[0]], ls=style)
        above.set(title=results.task, ylim=(-0.02, 1.02), xlabel='episode', ylabel='success')
        rates = [results.rate(key) for key in keys]
        errors = np.array([interval(results.rates(key)) for key in keys]).T
        errors = np.abs(errors - np.array(rates))
        shown = [colors.get(key[0], '#70a8e0') for key in keys]
        below.barh(range(len(keys)), rates, xerr=errors, color=shown, ecolor='#444444', capsize=2)
        below.set_yticks(range(len(keys)), [key[0] for key in keys], fontsize=8)
        below.invert_yaxis()
        below.set(xlim=(0, 1.02), xlabel=f'success in the second half ({condition})')
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def write(out, how, is_loose=False):
    """Write results.json, table.md and the plots; returns whether all claims hold."""
    runs = [run for file in sorted((out / 'runs').glob('*.json')) for run in json.loads(file.read_text())]
    tasks = list(dict.fromkeys(run['task'] for run in runs))
    all_results = [Results(task, [run for run in runs if run['task'] == task]) for task in tasks]
    rows = [results.row(key) for results in all_results for key in results.keys]
    claims = Claims(SLACK if is_loose else 0.0)
    for results in all_results:
        claims.check(results)
    everything = {'how': how, 'arms': rows, 'claims': claims.lines, 'runs': runs}
    (out / 'results.json').write_text(json.dumps(everything))
    text = f'{table(rows)}\n\n{claims_table(claims.lines)}\n'
    (out / 'table.md').write_text(text)
    for condition in sorted({run['condition'] for run in runs if run['condition']}) or ['clean']:
        plot(all_results, out / f'learning_{condition}.png', condition)
    print(text)
    print(f'{how.get("duration_secs", "?")} s; written to {out}')
    return all(it['holds'] for it in claims.lines)


if __name__ == '__main__':
    folder = Path(sys.argv[1])
    saved = json.loads((folder / 'results.json').read_text()) if (folder / 'results.json').exists() else {}
    write(folder, saved.get('how', {}))
