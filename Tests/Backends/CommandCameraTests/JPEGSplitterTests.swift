import CaptureTestSupport
import Testing

@testable import CommandCamera
@testable import ProgramCamera

@Suite("Command camera: pictures in a program's output")
struct JPEGSplitterTests {
    /// Splits bytes that come in pieces.
    private func split(_ bytes: [UInt8], pieces: Int = .max, largest: Int = 64 << 20) -> [JPEGSplitter.Found] {
        var splitter = JPEGSplitter(largestImage: largest)
        var found: [JPEGSplitter.Found] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            splitter.add { $0 += piece }
            while let next = splitter.next() { found.append(next) }
            #expect(splitter.end - splitter.start <= largest + min(pieces, bytes.count) + 65_540)
        }
        return found
    }

    @Test("Finds each picture and where it began, however the bytes are cut", arguments: [1, 2, 3, 7, 64, 1000, .max])
    func pieces(size: Int) throws {
        let images = try SamplePicture.all(5)
        let joined = images.flatMap { $0 }
        var began = 0
        let expected = images.map { image in
            defer { began += image.count }
            return JPEGSplitter.Found.image(image, began: began)
        }
        #expect(split(joined, pieces: size) == expected)
    }

    @Test("Skips what is between pictures, as in a multipart body", arguments: [1, 5, .max])
    func multipart(size: Int) throws {
        let images = try SamplePicture.all(3)
        var body: [UInt8] = []
        for image in images {
            body += Array("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \(image.count)\r\n\r\n".utf8)
            body += image + Array("\r\n".utf8) + [0xFF, 0xFF, 0xD8]
        }
        #expect(split(body, pieces: size).map(\.bytes) == images)
    }

    @Test("Takes an end marker within a segment for a part of it")
    func thumbnail() throws {
        let image = try SamplePicture.all(1)[0]
        let segment: [UInt8] = [0xFF, 0xE1, 0x00, 0x0A, 0xFF, 0xD8, 0xFF, 0xD9, 0xFF, 0xD8, 0xFF, 0xD9]
        let whole = Array(image[..<2]) + segment + Array(image[2...])
        #expect(split(whole, pieces: 3) == [.image(whole, began: 0)])
    }

    @Test("Calls a picture torn in which the next one begins, and finds that one")
    func half() throws {
        let images = try SamplePicture.all(2)
        let half = Array(images[0].prefix(images[0].count / 2))
        let found = split(half + images[1], pieces: 11)
        #expect(found == [.torn(began: 0), .image(images[1], began: half.count)])
    }

    @Test("Gives up a picture that does not end, and keeps no more of it than the largest one has")
    func endless() throws {
        let image = try SamplePicture.all(1)[0]
        let endless = Array(image.dropLast(2)) + [UInt8](repeating: 0x55, count: 200_000)
        let found = split(endless + image, pieces: 4096, largest: 50_000)
        #expect(found.count { $0 == .torn(began: 0) } == 1)
        #expect(found.last?.bytes == image)
    }

    @Test("Ends with every kind of garbage, and looks at each byte once")
    func garbage() {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<40 {
            let alphabet: [UInt8] = round % 2 == 0 ? [0xFF, 0xD8, 0xD9, 0xDA, 0x00, 0xE1] : Array(0...255)
            let bytes = (0..<5000).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let found = split(bytes, pieces: Int.random(in: 1...300, using: &generator))
            #expect(found == split(bytes))
        }
    }
}

extension JPEGSplitter.Found {
    fileprivate var bytes: [UInt8]? {
        if case .image(let bytes, _) = self { bytes } else { nil }
    }
}
