internal import CaptureModel

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

    /// The cameras whose streams are measured: those that are named, else those that run.
    /// - Throws: As above; and without a name, where none that has live pictures runs.
    static func measured(of roster: [DeviceStatus], named names: [DeviceID]) throws(CommandFailure) -> [DeviceID] {
        let cameras = try of(roster, named: names)
        let meant = names.isEmpty ? cameras.filter { $0.condition.state == .running } : cameras
        guard meant.isEmpty else { return meant.map(\.device.id) }
        let mosaics = roster.filter { $0.condition.state == .running && isMosaic($0) }.map(\.device.id.description)
        let reason =
            mosaics.isEmpty
            ? "no camera runs"
            : "the only cameras that run stream their sensor's mosaic, of which there are no live pictures "
                + "(\(mosaics.joined(separator: ", ")))"
        throw CommandFailure(.nothingSelected, "\(reason); `capctl devices` says why the others do not")
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
