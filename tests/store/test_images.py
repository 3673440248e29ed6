"""What is stored of the address of an image."""

from calendar_api import database
from calendar_api.database.models import Image
from calendar_api.store import images
from tests.conftest import CallerFactory

URL = "https://images.example/poster.png"


def test_extension_is_that_of_the_path(caller: CallerFactory) -> None:
    for url, extension in (
        (URL, "png"),
        ("https://images.example/A.JPEG?x=1.gif#y.z", "jpeg"),
        ("https://images.example/a.tar.gz", "gz"),
        ("https://images.example/", ""),
        ("https://images.example", ""),
        ("https://images.example/no-extension", ""),
        ("https://images.example/.hidden", ""),
        ("https://images.example/a.b-c", ""),
        ("https://images.example/a." + "x" * 21, ""),
    ):
        with database.write():
            image = Image.get_by_id(images.id_of(url))
        assert (image.extension, image.width, image.height, image.filesize) == (extension, None, None, None)
