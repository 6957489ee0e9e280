"""What the things are called: two languages, and the ways in which people and detectors vary a name."""

import dataclasses

# A part of a name is "English|other English=Chinese|other Chinese"; the last part is the noun. Other words are
# those that a person takes for the same thing, whether the memory knows them or not. Names of the set
# `development` were used while the policy was made; those of `final` only for the figures of README.md;
# those of `held_out` are by somebody who had seen neither this file nor the table of things.
SETS = {
    'development': {
        'things': (
            'orange=橙色|橘色; plastic=塑料|塑胶; cup=杯子|水杯',
            'gray|grey=灰色|灰; plastic=塑料|塑胶; cup=杯子|水杯',
            'clear|transparent=透明|透明的; wine glass|goblet=红酒杯|高脚杯',
            'brown=棕色|褐色; beer bottle|bottle of beer=啤酒瓶|啤酒瓶子',
            'iron=铁|铁制; frying pan|skillet=平底锅|煎锅',
            'bamboo=竹|竹制; cutting board|chopping board=砧板|菜板',
            'silver|silvery=银色|银; thermos|vacuum flask=保温杯|保温瓶',
            'pink=粉色|粉红色; soap box|soap case=肥皂盒|香皂盒',
            'blue=蓝色|蓝; tool box|tool case=工具箱|工具盒',
            'wooden|wood=木制|木头; picture frame|photo frame=相框|照片框',
            'foam=泡沫; dice|die=骰子|色子',
            'leather=皮|皮革; wallet|billfold=钱包|皮夹',
        ),
        'drawers': (
            'upper|top=上层|上面; dresser|chest of drawers=五斗柜|斗柜; drawer=抽屉',
            'lower|bottom=下层|下面; dresser|chest of drawers=五斗柜|斗柜; drawer=抽屉',
            'narrow|slim=窄|窄的; pantry|larder=食品柜|食物柜; drawer=抽屉',
            'wide|broad=宽|宽的; pantry|larder=食品柜|食物柜; drawer=抽屉',
            'cutlery|silverware=餐具; drawer=抽屉',
            'workshop=车间|工坊; drawer=抽屉',
            'sewing table=缝纫台|缝纫桌; drawer=抽屉',
            'hall|hallway=门厅|玄关; drawer=抽屉',
            'map=地图; cabinet|cupboard=柜|柜子; drawer=抽屉',
            'cash|money=收银|现金; drawer=抽屉',
            'white=白色|白; nightstand|bedside table=床头柜; drawer=抽屉',
            'black=黑色|黑; nightstand|bedside table=床头柜; drawer=抽屉',
        ),
    },
    'final': {
        'things': (
            'red=红色|红; glass=玻璃; cup=杯子|杯',
            'blue=蓝色|蓝; glass=玻璃; cup=杯子|杯',
            'white=白色|白; ceramic|porcelain=陶瓷|瓷; mug|coffee mug=马克杯|咖啡马克杯',
            'black=黑色|黑; plastic=塑料|塑胶; mug|coffee mug=马克杯|咖啡马克杯',
            'green=绿色|绿; tea tin|tea caddy=茶叶罐|茶罐',
            'wooden|wood=木制|木头; salad bowl|bowl for salad=沙拉碗|色拉碗',
            'steel|stainless steel=不锈钢|钢; mixing bowl|bowl for mixing=搅拌碗|拌料碗',
            'yellow=黄色|黄; lunch box|bento box=饭盒|便当盒',
            'cardboard|paperboard=纸板|硬纸; shoe box|box for shoes=鞋盒|鞋盒子',
            'rubber=橡胶|橡皮; duck|ducky=鸭子|小鸭',
            'old=旧|旧的; hardcover book|hardback book=精装书|硬皮书',
            'purple|violet=紫色|紫; shampoo bottle|bottle of shampoo=洗发水瓶|洗发液瓶',
        ),
        'drawers': (
            'left|left-hand=左边|左侧; kitchen=厨房; drawer=抽屉',
            'right|right-hand=右边|右侧; kitchen=厨房; drawer=抽屉',
            'top|uppermost=最上层|顶层; desk|writing desk=书桌|写字台; drawer=抽屉',
            'bottom|lowest=最下层|底层; desk|writing desk=书桌|写字台; drawer=抽屉',
            'bathroom|washroom=浴室|洗手间; drawer=抽屉',
            'tool cabinet|tool cupboard=工具柜|工具橱; drawer=抽屉',
            'filing cabinet|file cabinet=文件柜|档案柜; drawer=抽屉',
            'medicine cabinet|medicine cupboard=药柜|药品柜; drawer=抽屉',
            'oak|oaken=橡木; wardrobe|closet=衣柜|衣橱; drawer=抽屉',
            'metal=金属; workbench|work table=工作台|操作台; drawer=抽屉',
            'tv stand|television stand=电视柜|电视机柜; drawer=抽屉',
            'jewelry|jewellery=首饰|珠宝; drawer=抽屉',
        ),
    },
    'held_out': {
        'things': (
            'red=红色|红; mug|coffee mug=马克杯|咖啡杯',
            'wooden|wood=木制|木头; cutting board|chopping board=砧板|切菜板',
            'cardboard=纸板|硬纸板; shipping box|parcel box=快递箱|包裹箱',
            'yellow=黄色|黄; tape measure|measuring tape=卷尺|拉尺',
            'steel=钢制|钢; adjustable wrench|adjustable spanner=活动扳手|活扳手',
            'green=绿色|绿; watering can=浇水壶|洒水壶',
            'clear|transparent=透明; water bottle=水瓶|水瓶子',
            'black=黑色|黑; trash can|garbage can|trash bin=垃圾桶',
            'glass=玻璃; jar=罐子|罐',
            'metal=金属|金属制; trash can|garbage can|trash bin=垃圾桶',
            'orange=橙色|橘色; paint bucket|paint pail=油漆桶|涂料桶',
            'folded=叠好的|折好的; bath towel=浴巾',
        ),
        'drawers': (
            'bottom|lowest=最下层|最下面; desk|writing desk=书桌|写字台; drawer=抽屉',
            'left|left-hand=左边|左侧; nightstand|bedside table=床头柜; drawer=抽屉',
            'bathroom=浴室|卫生间; vanity|vanity unit=浴室柜|洗手台柜; drawer=抽屉',
            'sock|socks=袜子; drawer=抽屉',
            'spice|spices=调料|香料; drawer=抽屉',
            'middle|center=中间|中层; filing cabinet|file cabinet=文件柜|档案柜; drawer=抽屉',
            'workbench|work bench=工作台; drawer=抽屉',
            'freezer=冷冻室|冷冻; drawer=抽屉',
            'TV stand|TV cabinet=电视柜; drawer=抽屉',
            'medicine|medication=药品|药; drawer=抽屉',
            'second=第二层|第二个; tool cart|tool trolley=工具车|工具推车; drawer=抽屉',
            'cash register|till=收银机|收款机; drawer=抽屉',
        ),
    },
}

# Shares of the noisy names in which each happens.
CHINESE = 0.5
MIXED = 0.15
SYNONYM = 0.25
OTHER_ORDER = 0.2
ARTICLE = 0.25
OTHER_CASE = 0.2
UNDERSCORES = 0.2
TYPO = 0.04
OTHER_OBJECT = 0.03

ARTICLES = {'en': ('the ', 'a ', 'this ', 'my '), 'zh': ('那个', '一个', '这个', '我的')}


@dataclasses.dataclass(frozen=True)
class Part:
    """A word of a name in two languages, the usual one first."""

    en: tuple
    zh: tuple

    @staticmethod
    def parse(text):
        """Read "English|other=Chinese|other"."""
        return Part(*(tuple(words.strip().split('|')) for words in text.split('=')))


@dataclasses.dataclass(frozen=True)
class Thing:
    """An object and its name."""

    parts: tuple

    @staticmethod
    def parse(text):
        """Read the parts, which semicolons separate."""
        return Thing(tuple(Part.parse(part) for part in text.split(';')))

    def name(self, language):
        """Say its usual name in a language."""
        words = [getattr(part, language)[0] for part in self.parts]
        return ' '.join(words) if language == 'en' else ''.join(words)


def things(set_name, kind, count):
    """Get the first things of a set."""
    return [Thing.parse(text) for text in SETS[set_name][kind][:count]]


def typo(text, rng):
    """Swap, drop or double a character."""
    if len(text) < 3:
        return text
    i = int(rng.integers(len(text) - 1))
    way = rng.integers(3)
    if way == 0:
        return text[:i] + text[i + 1] + text[i] + text[i + 2:]
    return text[:i] + text[i + 1:] if way == 1 else text[:i] + text[i] + text[i:]


class CleanNames:
    """Each thing has one name: every other one in English, the others in Chinese."""

    def __init__(self, all_things, rng):
        self.names = [thing.name('en' if i % 2 == 0 else 'zh') for i, thing in enumerate(all_things)]

    def say(self, index):
        """Say the name of a thing."""
        return self.names[index]


class NoisyNames:
    """A thing is called differently every time, and sometimes wrongly."""

    def __init__(self, all_things, rng):
        self.things = all_things
        self.rng = rng

    def happens(self, share):
        """Whether something of this share happens."""
        return self.rng.random() < share

    def words(self, thing, language):
        """Choose a word for each part."""
        for part in thing.parts:
            of_part = language
            if self.mixes and part is thing.parts[-1]:
                of_part = 'zh' if language == 'en' else 'en'
            candidates = getattr(part, of_part)
            use_other = self.happens(SYNONYM) and len(candidates) > 1
            yield str(self.rng.choice(candidates[1:])) if use_other else candidates[0]

    def say(self, index):
        """Call a thing by some name."""
        if self.happens(OTHER_OBJECT):
            index = (index + 1 + int(self.rng.integers(len(self.things) - 1))) % len(self.things)
        thing = self.things[index]
        language = 'zh' if self.happens(CHINESE) else 'en'
        self.mixes = self.happens(MIXED)
        words = list(self.words(thing, language))
        if self.happens(OTHER_ORDER) and len(words) > 1:
            # The noun first, as detectors and lists have it.
            *others, noun = words
            text = f'{noun}, {" ".join(others)}' if language == 'en' else f'{noun}，{"".join(others)}的'
        elif language == 'en' or self.mixes:
            text = ' '.join(words)
        else:
            text = ''.join(words)
        if self.happens(TYPO):
            text = typo(text, self.rng).strip()
        if self.happens(ARTICLE):
            text = str(self.rng.choice(ARTICLES[language])) + text
        if language == 'en':
            if self.happens(OTHER_CASE):
                text = text.upper() if self.happens(0.3) else text.title()
            if self.happens(UNDERSCORES):
                text = text.replace(' ', '_')
        return text


NAMES = {'clean': CleanNames, 'noisy': NoisyNames}
