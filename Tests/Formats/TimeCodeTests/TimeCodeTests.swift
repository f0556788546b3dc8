import CaptureTestSupport
import Foundation
import Testing
import TurboJPEG

@testable import TimeCode

@Suite struct TimeCodeTests {
    static let sizes = [
        (320, 180), (320, 240), (640, 360), (640, 480), (800, 600), (1024, 768), (1278, 719), (1280, 720), (1600, 1200),
        (1920, 1080), (2560, 1440), (3840, 2160), (144, 88),
    ]

    @Test("Reads the drawn time from a JPEG of quality 50 at full and half size", arguments: sizes)
    func survivesCompression(width: Int, height: Int) throws {
        let code = TimeCode(
            realtimeNanoseconds: 1_767_319_445_123_456_789, frameNumber: 0x8001_F00F, cameraNumber: 0xA5A5)
        let jpeg = try Picture(width: width, height: height, code: code).jpeg(quality: 50)
        let decoder = try JPEGDecoder()
        var image = LumaImage()
        try decoder.decodeLuma(jpeg, into: &image)
        #expect(try image.read() == code)
        // Larger ones take seconds to halve pixel by pixel in unoptimized builds.
        if width <= 1280 { #expect(try image.halvedRead() == code) }
        try decoder.decodeLuma(jpeg, scale: .half, into: &image)
        #expect(try image.read() == code)
    }

    @Test(
        "A preview at a quarter or an eighth of the size cannot be read", arguments: [(1280, 720, 4), (3840, 2160, 8)])
    func previews(width: Int, height: Int, scale: Int) throws {
        let code = TimeCode(realtimeNanoseconds: 5, frameNumber: 6, cameraNumber: 7)
        let jpeg = try Picture(width: width, height: height, code: code).jpeg(quality: 80)
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(jpeg, scale: #require(DecodeScale(rawValue: scale)), into: &image)
        #expect(try image.read() == code)
    }

    @Test("Round-trips every value")
    func everyValue() throws {
        var generator = SeededGenerator(seed: 9)
        let extremes: [(Int64, UInt32, UInt16)] = [(0, 0, 0), (.max, .max, .max), (.min, 0, .max), (-1, 1, 1)]
        let random = (0..<300).map { _ in
            (
                Int64(bitPattern: generator.next()), UInt32(truncatingIfNeeded: generator.next()),
                UInt16(truncatingIfNeeded: generator.next())
            )
        }
        for (time, frame, camera) in extremes + random {
            let code = TimeCode(realtimeNanoseconds: time, frameNumber: frame, cameraNumber: camera)
            #expect(try Picture(width: 160, height: 96, code: code).read() == code)
            #expect(try TimeCode(words: code.words) == code)
        }
    }

    @Test("Computes the documented checksum")
    func checksum() {
        #expect(CRC16.checksum("123456789".utf8) == 0x29B1)
        let code = TimeCode(realtimeNanoseconds: 0x0123_4567_89AB_CDEF, frameNumber: 0xDEAD_BEEF, cameraNumber: 0x0102)
        #expect(code.words.dropLast() == [0x0123, 0x4567, 0x89AB, 0xCDEF, 0xDEAD, 0xBEEF, 0x0102])
        // The example of docs/timecode.md.
        #expect(code.words.last == documentedChecksum)
    }

    @Test("Reads the code in dark, bright and flat exposures")
    func contrast() throws {
        let code = TimeCode(realtimeNanoseconds: 1, frameNumber: 2, cameraNumber: 3)
        for (gain, offset) in [(2, 0), (2, 120), (4, 190), (1, 20)] {
            var picture = try Picture(width: 640, height: 360, code: code)
            picture.luma = picture.luma.map { UInt8(clamping: Int($0) / gain + offset) }
            #expect(try picture.read() == code)
        }
        var flat = try Picture(width: 640, height: 360, code: code)
        flat.luma = flat.luma.map { $0 / 10 + 100 }
        #expect(throws: TimeCodeError.noCode) { try flat.read() }
    }

    @Test("Reports damaged cells as an error")
    func damage() throws {
        var generator = SeededGenerator(seed: 11)
        var wrong = 0
        for round in 0..<1000 {
            let code = TimeCode(
                realtimeNanoseconds: Int64(bitPattern: generator.next()),
                frameNumber: UInt32(truncatingIfNeeded: generator.next()), cameraNumber: UInt16(round))
            var picture = try Picture(width: 160, height: 96, code: code)
            // At least one cell changes to its opposite, so reading the old value would be wrong too.
            let cells = Set((0...round % 40).map { _ in Int.random(in: 0..<128, using: &generator) })
            for cell in cells { invert(cell, &picture) }
            do throws(TimeCodeError) {
                let read = try picture.read()
                wrong += 1
                #expect(cells.count > 3, "accepted \(read) with \(cells.count) cells inverted")
            } catch {
                guard case .crcMismatch = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        // One in 65536 passes a 16-bit checksum: of 1000 cases with this seed, none does.
        #expect(wrong == 0)
    }

    @Test("Reports a smeared cell as an error")
    func smear() throws {
        let code = TimeCode(realtimeNanoseconds: 1, frameNumber: 2, cameraNumber: 3)
        var picture = try Picture(width: 640, height: 360, code: code)
        fill(row: 5, column: 7, with: 125, &picture)
        #expect(throws: TimeCodeError.unreadableCell(row: 5, column: 7)) { try picture.read() }
    }

    @Test("Finds no time in a picture without a code")
    func noCode() throws {
        for seed in 0..<200 {
            var picture = try Picture(width: 320, height: 180, code: nil, seed: UInt64(seed))
            #expect(throws: TimeCodeError.noCode) { try picture.read() }
            picture.luma = [UInt8](repeating: UInt8(seed), count: picture.luma.count)
            #expect(throws: TimeCodeError.noCode) { try picture.read() }
        }
    }

    @Test("Refuses impossible sizes and short buffers")
    func geometry() throws {
        let bytes = [UInt8](repeating: 0, count: 320 * 180)
        func problem(_ width: Int, _ height: Int, _ stride: Int) -> TimeCodeError? {
            do throws(TimeCodeError) {
                _ = try TimeCode.decode(luma: bytes.span, width: width, height: height, stride: stride)
            } catch {
                return error
            }
            return nil
        }
        for (width, height) in [(0, 0), (-1, 5), (.max, .max), (.min, 1), (35, 100), (300, 21), (65536, 88)] {
            #expect(problem(width, height, 320) == .imageTooSmall(width: width, height: height))
        }
        #expect(problem(320, 180, 320) == .noCode)
        #expect(problem(320, 181, 320) == .bufferTooSmall(needed: 320 * 181, given: bytes.count))
        for stride in [319, -320, 0, .max, .min, Int.max / 179] {
            guard case .bufferTooSmall = problem(320, 180, stride) else {
                Issue.record("stride \(stride)")
                continue
            }
        }
        #expect(throws: TimeCodeError.imageTooSmall(width: 143, height: 88)) {
            try TimeCodeLayout(width: 143, height: 88)
        }
        var short = [UInt8](repeating: 0, count: 100)
        #expect(throws: TimeCodeError.self) {
            try TimeCodeLayout(width: 144, height: 88).draw(
                TimeCode(realtimeNanoseconds: 0, frameNumber: 0, cameraNumber: 0), into: &short, stride: 144)
        }
    }

    @Test("Draws only inside its own area")
    func drawingStaysInside() throws {
        let code = TimeCode(realtimeNanoseconds: -1, frameNumber: .max, cameraNumber: .max)
        let layout = try TimeCodeLayout(width: 320, height: 180)
        var luma = [UInt8](repeating: 77, count: 340 * 180)
        try layout.draw(code, into: &luma, stride: 340)
        #expect(
            luma.indices.allSatisfy { index in
                let isInside = index % 340 < layout.codeWidth && index / 340 < layout.codeHeight
                return isInside ? [16, 235].contains(luma[index]) : luma[index] == 77
            })
        #expect((layout.codeWidth, layout.codeHeight) == (144, 88))
    }

    @Test("Chooses the documented cell size")
    func cellSizes() throws {
        let expected = [
            (144, 88, 8), (640, 360, 8), (1279, 720, 8), (1280, 719, 8), (1280, 720, 16), (1920, 1080, 16),
            (2560, 1440, 32), (3840, 2160, 48), (4000, 3000, 48), (3840, 800, 16),
        ]
        for (width, height, size) in expected {
            #expect(try TimeCodeLayout(width: width, height: height).cellSize == size)
        }
    }

    private func invert(_ cell: Int, _ picture: inout Picture) {
        let (x, y) = ((1 + cell % 16) * 8, (2 + cell / 16) * 8)
        fill(row: cell / 16, column: cell % 16, with: picture.luma[y * picture.width + x] == 16 ? 235 : 16, &picture)
    }

    private func fill(row: Int, column: Int, with value: UInt8, _ picture: inout Picture) {
        for y in (2 + row) * 8..<(3 + row) * 8 {
            for x in (1 + column) * 8..<(2 + column) * 8 { picture.luma[y * picture.width + x] = value }
        }
    }
}

/// The checksum of the example in `docs/timecode.md`.
let documentedChecksum: UInt16 = 0xD534

/// The decoder in another language, written from `docs/timecode.md` alone.
@Suite struct InteropTests {
    @Test(
        "A program written from the documentation reads another time",
        .enabled(if: ExternalTool.isExpected("python3") && ExternalTool.isExpected("djpeg")),
        arguments: [(320, 180), (640, 480), (1280, 720), (3840, 2160)])
    func pythonAgrees(width: Int, height: Int) throws {
        let code = TimeCode(
            realtimeNanoseconds: 1_767_319_445_123_456_789, frameNumber: 4_000_000_000, cameraNumber: 513)
        let jpeg = try Picture(width: width, height: height, code: code).jpeg(quality: 50)
        let report = try TemporaryFolder.use { folder in
            let files = try ["whole", "half"].enumerated().map { index, name in
                let jpegFile = folder.appendingPathComponent("\(name).jpg")
                try Data(jpeg).write(to: jpegFile)
                guard index == 1 else { return jpegFile.path }
                let scaled = folder.appendingPathComponent("half.pgm").path
                _ = try ExternalTool.run([
                    "djpeg", "-scale", "1/2", "-grayscale", "-pnm", "-outfile", scaled, jpegFile.path,
                ])
                return scaled
            }
            return try ExternalTool.run(["python3", script] + files)
        }
        #expect(report.status == 0, "\(report.output)")
        let lines = report.output.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            let read = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            #expect(read.realtimeNanoseconds == code.realtimeNanoseconds)
            #expect(read.frameNumber == code.frameNumber && read.cameraNumber == code.cameraNumber)
        }
    }

    @Test(
        "A program written from the documentation reads a time where none is",
        .enabled(if: ExternalTool.isExpected("python3") && ExternalTool.isExpected("djpeg")))
    func pythonRefuses() throws {
        let jpeg = try Picture(width: 640, height: 360, code: nil).jpeg(quality: 80)
        let report = try TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("none.jpg")
            try Data(jpeg).write(to: file)
            return try ExternalTool.run(["python3", script, file.path])
        }
        #expect(report.status == 1 && report.output.contains("noCode"), "\(report.output)")
    }

    private struct Line: Decodable {
        let realtimeNanoseconds: Int64
        let frameNumber: UInt32
        let cameraNumber: UInt16
    }

    private var script: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Interop/timecode_decode.py").path
    }
}

/// A busy 4:2:2 picture with a time code, as a virtual camera would send it.
struct Picture {
    let width: Int
    let height: Int
    var luma: [UInt8]
    private let chroma: [UInt8]

    init(width: Int, height: Int, code: TimeCode?, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        self.width = width
        self.height = height
        // Noise of full swing is the worst neighbor that JPEG can give the cells. Rows are stretches of one noise, since
        // millions of single pixels would take seconds in unoptimized builds.
        let noise = (0..<2 * width).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        // Chroma is neutral over the code, and as noisy as the luma beside it.
        let codeWidth = try code.map { _ in try TimeCodeLayout(width: width, height: height).codeWidth } ?? 0
        let neutral = [UInt8](repeating: 128, count: codeWidth / 2)
        var (luma, chroma): ([UInt8], [UInt8]) = ([], [])
        for line in 0..<height {
            let start = line / 3 * 37 % width
            luma += noise[start..<start + width]
            chroma += neutral + noise[start..<start + (width + 1) / 2 - neutral.count]
        }
        self.luma = luma
        self.chroma = chroma
        if let code { try TimeCodeLayout(width: width, height: height).draw(code, into: &self.luma, stride: width) }
    }

    func jpeg(quality: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv422)
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: quality, into: &bytes)
        return bytes
    }

    func read() throws(TimeCodeError) -> TimeCode {
        try TimeCode.decode(luma: luma.span, width: width, height: height, stride: width)
    }
}

extension LumaImage {
    func read() throws(TimeCodeError) -> TimeCode {
        try TimeCode.decode(luma: bytes.span, width: width, height: height, stride: width)
    }

    /// Half of width and height, each pixel the mean of four, as a video scaler makes it.
    func halvedRead() throws(TimeCodeError) -> TimeCode {
        let (columns, rows) = (width / 2, height / 2)
        var half = [UInt8](repeating: 0, count: columns * rows)
        for y in 0..<rows {
            for x in 0..<columns {
                let corner = 2 * y * width + 2 * x
                let sum = [0, 1, width, width + 1].reduce(2) { $0 + Int(bytes[corner + $1]) }
                half[y * columns + x] = UInt8(sum / 4)
            }
        }
        return try TimeCode.decode(luma: half.span, width: columns, height: rows, stride: columns)
    }
}
