"""What programs that show a library can rely on (docs/library.md); run by test_interop.py."""

import subprocess

from case import Case
from manifest_schema import manifest_of


class SmallPictures(Case):
    def test_every_still_has_a_thumbnail_and_a_preview_beside_the_library_s_own_files(self):
        document = self.trigger()
        shot = manifest_of(document)
        library = self.local.library
        folder = next(library.glob(f"[0-9]*/*/*/{shot['id']}"))
        pictures = library / ".previews" / folder.relative_to(library)
        for name in self.local.numbers:
            camera = pictures / name.replace("/", ".")
            for picture, size in (("thumbnail", (256, 256)), ("preview", (640, 360))):
                path = camera / f"photo.{picture}.jpg"
                self.await_true(f"{path} does not come", path.exists)
                shown = subprocess.run(["djpeg", "-pnm", path], check=True, capture_output=True).stdout
                self.assertEqual(shown.split(maxsplit=3)[1:3], [b"%d" % side for side in size])
            self.assertEqual([path.name for path in (folder / camera.name).iterdir()], ["photo.jpg"])
        # The stamp says of which manifest they are made, so that a restart has nothing to do.
        self.await_true("the shot's pictures are never done", (pictures / "made").exists)
