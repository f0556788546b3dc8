public import CaptureModel
internal import PosixSupport

extension ShotDeletion {
    /// A sentence for whoever asks for the shot, without full stop.
    public var sentence: String {
        let why =
            switch reason {
            case .requested: "by \(by)"
            case .age: "by the coordinator, because it was older than `library.keep.for`"
            case .space: "by the coordinator, because its disk had less than `library.keep.free`"
            }
        let date = UTCDate(realtimeNanoseconds: realtimeNanoseconds).description.prefix(19)
        return "\(isTake ? "take" : "shot") \(shot) was deleted from the library at \(date)Z \(why)"
    }
}
