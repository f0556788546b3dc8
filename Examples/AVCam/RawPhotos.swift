import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel

/// RAW and the processed photo of one exposure, then RAW alone, of a camera that delivers its sensor's mosaic.
struct RawPhotos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw", abstract: "Take a photo as DNG and as JPEG, both of one exposure.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        // A mosaic is drawn anew for each frame.
        guard let device = try options.cameras(framesPerSecond: 10).first else { return }
        let format = try await rawFormat(of: device)
        tell("\(device.id) offers \(format.rawValue)")
        let input = CaptureDeviceInput(
            device: device, format: FormatRequest(pixelFormat: format), raw: RawSettings(isEnabled: true))
        let model = try CameraModel(input, preset: .photo, folder: options.folder)
        try await model.serving { model in
            try await model.startRunning()
            try await model.capturePhoto("raw+jpeg", PhotoSettings(previewSize: 320, raw: .withPhoto))
            try await model.capturePhoto("raw", PhotoSettings(raw: .only))
            await model.session.stopRunning()
        }
    }

    /// The deepest Bayer format the camera offers: the level "supported".
    private func rawFormat(of device: CaptureDevice) async throws -> PixelFormat {
        let formats = try await device.capabilities().formats.map(\.pixelFormat)
        let deepest = formats.max { left, right in left.mosaicBits < right.mosaicBits }
        guard let deepest, deepest.mosaicBits > 0 else {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id) offers no Bayer format (\(formats.map(\.rawValue).joined(separator: ", "))), so there is no RAW of it"
            )
        }
        return deepest
    }
}

extension PixelFormat {
    /// Bits of each sample of a sensor's mosaic; 0 of a picture.
    fileprivate var mosaicBits: Int {
        if case .bayer(_, let bits, _) = family { bits } else { 0 }
    }
}
