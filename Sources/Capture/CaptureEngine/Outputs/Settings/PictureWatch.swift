import CaptureModel

/// Measures the brightness of the frames around a change of settings: those before from the ring, so that nothing is
/// measured unless settings change, and those after as they arrive. At most one frame is measured at a time, and frames
/// that the ring drops before they are measured are left out.
struct PictureWatch: Sendable {
    private(set) var step: PixelStep
    private let watch: ChangeoverWatch
    private let oldSince: UInt64
    private var newest: UInt64?

    /// - Returns: nil if the pictures cannot show the change.
    init?(_ confirmation: SettingsMachine.Confirmation) {
        guard case .pixels(let expected, _) = confirmation.watch.rule else { return nil }
        (step, watch, oldSince) = (PixelStep(expected), confirmation.watch, confirmation.oldSince ?? 0)
    }

    /// The frames of the ring that are to be measured next.
    func due(in ring: FrameRing) -> [PictureFrame] {
        let start = watch.began - watch.longestExposure * 2 - watch.interval * PixelStep.mostBefore
        let first = max(newest.map { $0 + 1 } ?? 0, oldSince)
        return ring.frames(in: start...LocalTime(nanoseconds: .max)).filter { $0.sequence >= first }.compactMap(
            \.picture)
    }

    mutating func measure(_ pictures: [PictureFrame], _ meter: SceneMeter) async {
        for picture in pictures {
            newest = picture.sequence
            let grid = await meter.scene(of: picture.jpeg, columns: PixelStep.columns, rows: PixelStep.rows)
            guard let grid else { continue }
            let facts = FrameFacts(
                sequence: picture.sequence, midExposure: picture.midExposure, stampBound: picture.stampBound)
            if watch.isBefore(facts) { step.addBefore(facts, grid) } else { step.add(facts, grid) }
        }
    }
}
