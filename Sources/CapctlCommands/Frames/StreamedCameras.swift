internal import CaptureModel
internal import RigWire

/// Which cameras a command about live pictures means.
enum StreamedCameras {
    /// The cameras of `roster` that `names` name, in the roster's order; without a name every one that has live pictures.
    /// - Throws: Where a name is no camera of the roster, or one that streams a sensor's mosaic, of which there are none; without
    ///   a name, where no camera has any.
    static func of(_ roster: [DeviceStatus], named names: [DeviceID]) throws(CommandFailure) -> [DeviceStatus] {
        let cameras = roster.filter { $0.device.mediaType == .video }
        guard !names.isEmpty else { return try withLivePictures(cameras) }
        let unknown = Set(names).subtracting(cameras.map(\.device.id)).sorted()
        guard unknown.isEmpty else {
            let refusal = EmptySelection(existing: cameras.map(\.device), unknown: unknown.map { "camera '\($0)'" })
            throw CommandFailure(.nothingSelected, "\(refusal)")
        }
        let meant = cameras.filter { names.contains($0.device.id) }
        if let mosaic = meant.first(where: isMosaic) {
            throw CommandFailure(
                .failed,
                "\(mosaic.device.id) streams its sensor's mosaic, of which there are no live pictures; a still shows what "
                    + "it sees: `capctl trigger --device \(mosaic.device.id) --raw+jpeg`")
        }
        return meant
    }

    private static func withLivePictures(_ cameras: [DeviceStatus]) throws(CommandFailure) -> [DeviceStatus] {
        let found = cameras.filter { !isMosaic($0) }
        guard found.isEmpty else { return found }
        throw CommandFailure(
            .nothingSelected,
            cameras.isEmpty
                ? "the rig has no camera; `capctl status` shows which nodes it knows"
                : "every camera streams its sensor's mosaic, of which there are no live pictures; a still shows what each "
                    + "sees: `capctl trigger --all --raw+jpeg`")
    }

    private static func isMosaic(_ status: DeviceStatus) -> Bool {
        status.condition.format?.pixelFormat.family.isMosaic == true
    }
}
