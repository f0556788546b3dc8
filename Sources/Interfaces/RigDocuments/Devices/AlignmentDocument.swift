internal import CaptureModel

/// How well a camera is aligned, wherever a document has it.
struct AlignmentDocument: Encodable {
    var boundNanoseconds: Integer64?
    var corrections: Int
    /// How long after the nearest multiple of its frame interval in rig time it exposes; negative: before it.
    var latenessNanoseconds: Integer64?
    var reason: String?
    var restarts: Int
    var state: CameraAlignment.State

    init(_ alignment: CameraAlignment) {
        boundNanoseconds = alignment.boundNanoseconds.map(Integer64.init)
        corrections = alignment.corrections
        latenessNanoseconds = alignment.latenessNanoseconds.map(Integer64.init)
        reason = alignment.reason
        restarts = alignment.restarts
        state = alignment.state
    }
}
