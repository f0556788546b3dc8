import CaptureTestSupport
import ImageMetadata
import Testing

@Suite("Images one after another")
struct JPEGExtentTests {
    @Test("An image's end is found too early, in a thumbnail, or too late, in the next image")
    func ends() throws {
        let thumbnail = try CameraFrame.jfif(width: 32, height: 16, seed: 9)
        let images = [
            try CameraFrame.jfif(width: 64, height: 32), try CameraFrame.uvc(width: 64, height: 32, padding: 0),
            CameraFrame.withRestarts(),
            CameraFrame.inserting(0xE1, Array("Exif\0\0".utf8) + thumbnail, into: try CameraFrame.jfif()),
        ]
        for image in images {
            #expect(try JPEGExtent(of: image) == .whole(byteCount: image.count))
            #expect(try JPEGExtent(of: image + images[0]) == .whole(byteCount: image.count))
            #expect(try JPEGExtent(of: image + [0, 0, 1, 2]) == .whole(byteCount: image.count))
        }
    }

    @Test("An image of which more is to come is called broken, or whole")
    func everyCut() throws {
        let image = CameraFrame.inserting(0xE1, [0xFF, 0xD9], into: try CameraFrame.jfif(width: 64, height: 32))
        for count in 0..<image.count { #expect(try JPEGExtent(of: Array(image.prefix(count))) == .unfinished) }
    }

    @Test("What is no image is waited for, for ever")
    func noImage() throws {
        let image = try CameraFrame.jfif(width: 64, height: 32)
        #expect(throws: JPEGProblem.noStartOfImage) { try JPEGExtent(of: Array("RIFF".utf8)) }
        #expect(throws: JPEGProblem.noStartOfImage) { try JPEGExtent(of: [0] + image) }
        #expect(throws: JPEGProblem.noScan) { try JPEGExtent(of: [0xFF, 0xD8, 0xFF, 0xD9]) }
        #expect(throws: JPEGProblem.unexpectedMarker(0xD8, at: image.count - 9)) {
            try JPEGExtent(of: image.dropLast(9) + image)
        }
    }

    @Test("Damaged bytes crash the search, or its answer lies outside of them")
    func neverTraps() throws {
        var generator = SeededGenerator(seed: 11)
        let image = CameraFrame.inserting(0xE1, [1, 2, 3], into: try CameraFrame.jfif(width: 64, height: 32))
        var outcomes: [String: Int] = [:]
        for _ in 0..<20_000 {
            var bytes = image + image
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    Bool.random(using: &generator) ? 0xFF : UInt8(truncatingIfNeeded: generator.next())
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            do throws(JPEGProblem) {
                switch try JPEGExtent(of: bytes) {
                case .whole(let byteCount):
                    #expect((4...bytes.count).contains(byteCount))
                    outcomes["whole", default: 0] += 1
                case .unfinished: outcomes["unfinished", default: 0] += 1
                }
            } catch {
                outcomes["broken", default: 0] += 1
            }
        }
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 > 100 }, "\(outcomes)")
    }
}
