public import CaptureModel

extension CaptureSession {
    /// The captures that are armed or fired and have no outcome yet, or owe a clip, in order.
    public var capturesUnderWay: [CaptureKey] { (Array(pending.keys) + clips.keys + recordings.keys).sorted() }

    /// Gives up the captures of which nothing is being made yet, so that none of them comes to have a file.
    /// - Returns: Which they are, in order.
    public func giveUpUnmade(with problem: CaptureProblem) async -> [CaptureKey] {
        var given: [CaptureKey] = []
        for key in pending.keys.sorted() where pending[key]?.isChosen == false {
            given.append(key)
            noteLost(key, problem)
            await close(key, with: problem)
        }
        return given
    }
}
