internal import CaptureModel

extension CameraCatalogue {
    /// The files of `Cameras`, which are part of the program. A file with a mistake counts as absent; a test reads each.
    public static let shipped = CameraCatalogue(
        shippedFiles.compactMap { name, text in try? CameraPeculiarities(parsing: text, file: name) })

    /// Every file of `Cameras` with its text.
    static let shippedFiles = [
        ("caprig-virtual.yaml", String(decoding: PackageResources.caprig_virtual_yaml, as: UTF8.self))
    ]
}
