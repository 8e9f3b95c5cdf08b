"""The type and the checks that the clients in this folder share.

The gateway's model answers the message ASK with the JSON in it: as the arguments of a tool if it must call one, else as
its text. See Obedient in gateway/doors/doorstest.
"""

import sys

from pydantic import BaseModel

URL = sys.argv[1]
ASK = 'json {"city":"Porto","rooms":3}'


class Place(BaseModel):
    city: str
    rooms: int


done = []


def right(name, place):
    """Fails unless place has the values of ASK."""
    assert isinstance(place, Place) and (place.city, place.rooms) == ("Porto", 3), f"{name}: {place!r}"
    done.append(name)


def end():
    """Prints the number of checks."""
    print(f"{len(done)} answers")
