#!/usr/bin/env python3
"""Raw files of every Bayer format, judged by programs of others: python test_raw.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

A rig with a virtual camera for each format takes pictures; Adobe's DNG SDK, dcraw and LibRaw read them.
"""

import pathlib
import subprocess
import sys

import timecode_decode
from caprig_client import all_cameras, trigger_request
from case import Case
from local_rig import LocalRig
from manifest_schema import manifest_of
from run_tests import run_tests

# Fourcc by V4L2's names: bits of a sample, and the colors of the first two samples of two rows.
ORDERS = ["BGGR", "GBRG", "GRBG", "RGGB"]
FORMATS = {
    fourcc: (bits, order)
    for bits, fourccs in [
        (8, "BA81 GBRG GRBG RGGB"), (10, "BG10 GB10 BA10 RG10"), (10, "pBAA pGAA pgAA pRAA"),
        (12, "BG12 GB12 BA12 RG12"), (12, "pBCC pGCC pgCC pRCC"), (14, "BG14 GB14 GR14 RG14"),
        (14, "pBEE pGEE pgEE pREE"), (16, "BYR2 GB16 GR16 RG16"),
    ]
    for fourcc, order in zip(fourccs.split(), ORDERS)
}
# What each camera delivers: every format, and sizes that leave groups of packed samples and pairs of columns incomplete.
CAMERAS = [(fourcc, 640, 360) for fourcc in FORMATS]
CAMERAS += [("pRAA", 641, 361), ("pBCC", 643, 360), ("pgEE", 642, 361), ("GB16", 641, 361), ("GRBG", 643, 361)]

# In a process of its own, because the SDK speaks on standard error, and may end the program.
SDK = """
import dngpy, sys
pixels = dngpy.Dng(sys.argv[1]).raw_pixels
sys.stdout.buffer.write(pixels.reshape(pixels.shape[0], -1).astype('>u2').tobytes())
"""


def run(*command):
    """A program of others, while the cameras go on: they get the processors first."""
    return subprocess.run(("nice", "-n", "10", *command), capture_output=True, timeout=120)


def samples_of_pgm(data):
    """Width, height and the samples, two bytes each, of a binary PGM."""
    kind, width, height, largest = data[:40].split(maxsplit=4)[:4]
    if (kind, largest) != (b"P5", b"65535"):
        raise ValueError(f"no PGM of two bytes a sample: {data[:20]}")
    return int(width), int(height), data[-2 * int(width) * int(height):]


class RawFiles(Case):
    def take(self, raw, codec=None, longer_side=None):
        """The files of a shot with every camera: by its place and kind, path and frame number."""
        settings, thumbnail = {"raw": raw}, {"codec": codec, "longerSide": longer_side}
        if thumbnail := {name: value for name, value in thumbnail.items() if value is not None}:
            settings["rawThumbnail"] = thumbnail
        document = self.rig.trigger(
            trigger_request(all_cameras(nodes=self.local.nodes), settings=settings, timeout_ns=60_000_000_000))
        manifest = manifest_of(document)
        self.assertEqual(document.status, "complete", manifest)
        folder = pathlib.Path(document.library) / document.folder
        files = {}
        for capture in manifest["captures"]:
            camera = int(capture["device"]["id"].split("/")[1].removeprefix("cam")) - 1
            for file in capture["files"]:
                files[camera, file["kind"]] = (folder / file["path"], capture["timing"]["sequence"])
        return files

    def test_adobes_sdk_dcraw_and_libraw_read_the_same_samples_of_every_format(self):
        self.read_samples(self.take("only"))

    def test_they_read_the_same_samples_of_files_without_a_picture(self):
        files = self.take("only", codec="none")
        for path, _ in files.values():
            said = run("exiftool", "-validate", "-warning", "-a", "-s3", str(path)).stdout
            self.assertEqual(said.strip(), b"OK")
            self.assertEqual(run("exiftool", "-b", "-PreviewImage", "-JpgFromRaw", "-ThumbnailImage", str(path)).stdout, b"")
        self.read_samples(files)

    def test_the_picture_has_the_size_that_is_asked_for_and_never_more_than_half_of_the_samples(self):
        for longer_side, expected in ((100, 80), (300, 160), (4096, 320)):
            for path, _ in self.take("withPhoto", codec="jpeg", longer_side=longer_side).values():
                if path.suffix == ".dng":
                    width, = run("exiftool", "-s3", "-IFD0:ImageWidth", str(path)).stdout.split()
                    self.assertIn(int(width), range(expected, expected + 3), path)
                    picture = self.local.folder / "picture.jpg"
                    picture.write_bytes(run("exiftool", "-b", "-PreviewImage", str(path)).stdout)
                    self.assertEqual(timecode_decode.load(str(picture))[0], int(width))

    def read_samples(self, files):
        self.assertEqual(set(files), {(camera, "alternatePhoto") for camera in range(len(CAMERAS))})
        for (camera, _), (path, number) in files.items():
            with self.subTest(CAMERAS[camera]):
                fourcc, width, height = CAMERAS[camera]
                bits, order = FORMATS[fourcc]
                sdk = run(sys.executable, "-c", SDK, str(path))
                self.assertEqual((sdk.returncode, sdk.stderr), (0, b""))
                dcraw = run("dcraw", "-D", "-4", "-t", "0", "-c", str(path))
                self.assertEqual((dcraw.returncode, dcraw.stderr), (0, b""))
                read_width, read_height, samples = samples_of_pgm(dcraw.stdout)
                self.assertEqual((read_width, read_height), (width, height))
                self.assertTrue(sdk.stdout == samples, "Adobe's SDK reads other samples than dcraw")
                self.assertTrue(self.samples_by_libraw(path) == samples, "LibRaw reads other samples than dcraw")
                identified = run("raw-identify", "-v", str(path)).stdout.decode(errors="replace")
                self.assertIn(f"Filter pattern: {order}", identified)
                values = [int.from_bytes(samples[i:i + 2], "big") for i in range(0, len(samples), 2)]
                self.assertLess(max(values), 1 << bits)
                self.assertGreater(max(values), 1 << (bits - 1))
                luma = bytes(value >> (bits - 8) for value in values)
                pgm = self.local.folder / "luma.pgm"
                pgm.write_bytes(f"P5\n{width} {height}\n255\n".encode() + luma)
                self.assertEqual(timecode_decode.decode(str(pgm))["frameNumber"], number)

    def samples_by_libraw(self, path):
        """LibRaw's tool writes beside the file."""
        copy = self.local.folder / "copy.dng"
        copy.write_bytes(path.read_bytes())
        self.assertEqual(run("unprocessed_raw", str(copy)).returncode, 0)
        return samples_of_pgm(pathlib.Path(f"{copy}.pgm").read_bytes())[2]

    def test_photo_and_raw_file_are_of_one_exposure(self):
        files = self.take("withPhoto")
        self.assertEqual(len(files), 2 * len(CAMERAS))
        for camera, (_, width, height) in enumerate(CAMERAS):
            with self.subTest(CAMERAS[camera]):
                photo, number = files[camera, "photo"]
                self.assertEqual(timecode_decode.decode(str(photo))["frameNumber"], number)
                dng = files[camera, "alternatePhoto"][0]
                self.assertEqual(timecode_decode.load(str(photo))[:2], (width, height))
                said = run("exiftool", "-s3", "-ImageUniqueID", "-SubSecDateTimeOriginal", str(dng), str(photo)).stdout
                times = [line for line in said.decode().splitlines() if line.startswith("20")]
                self.assertEqual(len(times), 2)
                self.assertEqual(times[0], times[1])
                validation = run("exiftool", "-validate", "-warning", "-a", "-s3", str(dng)).stdout
                self.assertEqual(validation.strip(), b"OK")


def main(programs, names):
    settings = [
        f"format: {{ pixelFormat: {fourcc}, width: {width}, height: {height} }}\n    raw: true"
        for fourcc, width, height in CAMERAS
    ]
    Case.local = rig = LocalRig(pathlib.Path(programs).resolve(), nodes=1, rate=1, settings=settings)
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
