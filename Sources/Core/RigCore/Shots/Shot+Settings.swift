import CaptureModel

extension Shot {
    /// What is asked of each of these cameras: of one of which no raw file is expected, none is asked, whatever its
    /// configuration says by then.
    func settings(for devices: [DeviceID]) -> [(settings: PhotoSettings, devices: [DeviceID])] {
        let settings = request.settings
        guard settings.raw == .withPhotoWhereEnabled else { return [(settings, devices)] }
        let expecting = Set(
            captures.lazy.filter { $0.files.contains { $0.kind == .alternatePhoto } }.map(\.device.id))
        var plain = settings
        plain.raw = nil
        let parts = [
            (settings, devices.filter(expecting.contains)), (plain, devices.filter { !expecting.contains($0) }),
        ]
        return parts.filter { !$0.1.isEmpty }
    }
}
