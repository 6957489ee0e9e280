"""The tasks: what the robot does, what is hidden from it, and what it knows of the mechanics."""

from .drawer import Drawer
from .grip import Grip
from .slide import Slide

TASKS = {'a': Slide, 'b': Grip, 'c': Drawer}
