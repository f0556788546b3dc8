internal import CaptureModel
internal import RigWire

/// Which cameras a command about live pictures means.
enum StreamedCameras {
    /// The cameras of `roster` that `names` name, in the roster's order; without a name every one that has live pictures.
    /// - Throws: Where a name is no camera of the roster, or one that streams a sensor's mosaic, of which there are none.
    static func of(_ roster: [DeviceStatus], named names: [DeviceID]) throws(CommandFailure) -> [DeviceStatus] {
        let cameras = roster.filter { $0.device.mediaType == .video }
        guard !names.isEmpty else { return cameras.filter { !isMosaic($0) } }
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

    private static func isMosaic(_ status: DeviceStatus) -> Bool {
        status.condition.format?.pixelFormat.family.isMosaic == true
    }
}
