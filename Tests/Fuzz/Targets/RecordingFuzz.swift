import CaptureTestSupport
import ImageMetadata

@testable import FileCamera

/// The file of a file camera: images one after another.
enum RecordingFuzz {
    static func run(_ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, as: "recording.mjpeg")
        try withExtendedLifetime(folder) { try read(RecordingSource(path: path), bytes) }
    }

    private static func read(_ source: RecordingSource, _ bytes: [UInt8]) throws {
        var scan = RecordingScan(source)
        guard let index = try? scan.run() else { return }
        try FuzzFinding.unless(!index.images.isEmpty, "a recording without images is played")
        let recording = Recording(source: source, index: index)
        var end = 0
        for number in index.images.indices {
            let image = try recording.read(number)
            let structure = try JPEGStructure(parsing: image)
            try FuzzFinding.unless(
                structure.frame.width == index.width && structure.frame.height == index.height,
                "an image has another size than the recording")
            let gap = bytes[end..<Int(index.images[number].offset)]
            try FuzzFinding.unless(!hasImage(gap), "an image between images is passed over")
            end = Int(index.images[number].offset) + image.count
        }
        try FuzzFinding.unless(!hasImage(bytes[end...]), "an image behind the last one is passed over")
    }

    private static func hasImage(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF]) }
    }
}
