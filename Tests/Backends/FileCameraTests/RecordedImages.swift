import CaptureTestSupport
import TurboJPEG

/// Small JPEG images, each of another brightness, in a folder that goes with this object.
final class RecordedImages: Sendable {
    let images: [[UInt8]]
    let place: TemporaryFolder

    init(count: Int, width: Int = 64, height: Int = 48) throws {
        images = try (0..<count).map { try Self.image(brightness: UInt8(10 + $0 * 7), width: width, height: height) }
        place = try TemporaryFolder()
    }

    static func image(brightness: UInt8, width: Int = 64, height: Int = 48) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .gray)
        let luma = [UInt8](repeating: brightness, count: width * height)
        let none: [UInt8] = []
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
        return jpeg
    }

    /// The images as `1.jpg`, `2.jpg`, … in a folder.
    func folder() throws -> String {
        for (index, image) in images.enumerated() { try place.write(image, as: "\(index + 1).jpg") }
        return place.path
    }

    /// The images one after another in a file.
    func file() throws -> String {
        try place.write(images.flatMap { $0 }, as: "recording.mjpeg")
    }
}
