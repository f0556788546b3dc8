import CaptureModel

extension CaptureReport {
    /// What fits into a message of a recording whose files wait in the spool: the first ones; the next one is owed. The
    /// coordinator asks again while a file is owed, and is told of further ones as it releases those before, so that a report
    /// stays small however long a recording is and its coordinator away.
    var firstSegments: CaptureReport {
        guard let next = firstSegmentBeyondLimits else { return self }
        var report = self
        report.files.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.failed.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.owed = AssetKind.ofRecording(next)
        return report
    }

    private var firstSegmentBeyondLimits: SegmentNumber? {
        var (fileCount, failureCount) = (0, 0)
        let segments = Set((files.map(\.kind) + failed.map(\.kind)).compactMap(\.segment))
        return segments.sorted().first { segment in
            fileCount += files.count { $0.kind.segment == segment }
            failureCount += failed.count { $0.kind.segment == segment }
            return fileCount > WireLimits.filesPerCapture || failureCount > WireLimits.companionsPerCapture
        }
    }
}
