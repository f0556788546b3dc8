import CameraKit
import CaptureModel

/// What is the stream's and what the still's while the camera goes from one format to the other, and how long the stream
/// is away: from its frame before to its frame after.
extension CaptureSession {
    /// The format to open the camera in: of a format switch, the still's; else the session's.
    func nextFormat() async throws(CameraError) -> FormatRequest {
        isInPhotoFormat = machine.formatSwitch == .away
        if isInPhotoFormat, let record = switchRecord { return record.request }
        let format = try await formatToAsk()
        await learnOffers()
        return format
    }

    /// Frames in a still's format are the still's alone: an output has asked for the stream's.
    func use(_ frame: RingFrame) async {
        guard !isInPhotoFormat else { return wakeFormatSwitch() }
        outputs.offer(offered(frame)) { connection(to: $0)?.isEnabled == true }
        lookAtScene(frame)
        guard !isRunning else { return }
        let gap = endGap(with: frame)
        await handle(.firstFrame)
        await tell(gap)
    }

    /// Keeps the frames of one format apart from those of the other, once a stream of a format switch is closed.
    func noteClosed() {
        if machine.formatSwitch != nil, !isInPhotoFormat, let last = ring.newest {
            switchRecord?.gap = StreamGap(
                localStart: last.midExposure, start: rigClock.rigTime(at: last.midExposure)?.time)
        }
        if isInPhotoFormat || machine.formatSwitch == .leaving { ring.removeAll() }
        isInPhotoFormat = false
    }

    /// Ends the gap with the first frame of the stream that is back.
    /// - Returns: What is to be told of it, after the session is told to run.
    private func endGap(with frame: RingFrame) -> [SessionEvent] {
        guard machine.hardware == .open, var record = switchRecord, var gap = record.gap else { return [] }
        gap.nanoseconds = max((frame.midExposure - gap.localStart).nanoseconds, 0)
        record.gap = nil
        switchRecord = record
        pending[record.key]?.formatSwitch?.gap = gap
        return [.streamGap(record.key, gap)]
    }
}
