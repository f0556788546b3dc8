public import CaptureModel

/// Why a camera shows no live pictures, in the same words for every command, page and channel.
extension DeviceStatus {
    /// Why the camera has no live pictures while it streams as it does; nil if it has them, or its format is not known.
    public var livePictureProblem: String? {
        guard let format = condition.format, format.pixelFormat.family.isMosaic else { return nil }
        return "\(device.id) streams its sensor's mosaic, of which there are no live pictures; take a still to "
            + "see its picture: `capctl trigger --device \(device.id) --raw+jpeg`"
    }

    /// Why no live picture of the camera comes, as far as its condition tells.
    public var livePictureSilence: String {
        if let livePictureProblem { return livePictureProblem }
        let silence = "no picture of \(device.id) comes"
        guard condition.state != .running else {
            return silence + ", though the camera runs; check the network to node '\(device.id.node)'"
        }
        return silence + ": the camera is \(condition.state.rawValue)" + (condition.reason.map { ": \($0)" } ?? "")
    }
}
