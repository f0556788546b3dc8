"""What a process takes of its machine, read from /proc."""

import os
import pathlib
import time


class Usage:
    """Samples of one process."""

    def __init__(self, name, process):
        self.name, self.process = name, process
        self.folder = pathlib.Path("/proc") / str(process)
        self.samples = []  # (seconds, resident, private, descriptors, threads)

    def sample(self, seconds):
        """Notes the present as `seconds`."""
        try:
            lines = (self.folder / "smaps_rollup").read_text().splitlines()
            descriptors = len(os.listdir(self.folder / "fd"))
            threads = len(os.listdir(self.folder / "task"))
        except (FileNotFoundError, ProcessLookupError):
            return  # it has ended, which others notice
        sizes = {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines if line.endswith("kB")}
        # What it shares with others of its kind, such as its code, comes and goes with them.
        self.samples.append((seconds, sizes["Rss"], sizes["Pss_Anon"], descriptors, threads))

    def series(self, kind):
        column = {"memory": 2, "descriptors": 3, "threads": 4}[kind]
        return [(sample[0], sample[column]) for sample in self.samples]

    def processor_seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def table(self, rows=12):
        """A few of the samples, from the first to the last."""
        step = max(1, len(self.samples) // rows)
        for seconds, resident, private, descriptors, threads in self.samples[::step]:
            yield (f"  {time.strftime('%H:%M:%S', time.gmtime(seconds))}  {private / 2**20:7.2f} MiB private, "
                   f"{resident / 2**20:7.2f} MiB resident, {descriptors} descriptors, {threads} threads")
