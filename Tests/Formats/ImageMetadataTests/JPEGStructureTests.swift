import CaptureTestSupport
import ImageMetadata
import Testing

@Suite struct JPEGStructureTests {
    @Test("Reads size and extent of an intact frame")
    func soundFrame() throws {
        let frame = try CameraFrame.uvc(width: 642, height: 361, padding: 900)
        let structure = try JPEGStructure(parsing: frame)
        #expect((structure.frame.width, structure.frame.height) == (642, 361))
        #expect(structure.frame.components.map(\.horizontalSampling) == [2, 1, 1])
        #expect(!structure.frame.isProgressive && structure.frame.precision == 8)
        #expect(structure.lacksHuffmanTables)
        #expect(structure.endOffset == frame.count - 900)
        #expect(Array(frame[structure.scanOffset..<structure.scanOffset + 2]) == [0xFF, 0xDA])
        #expect(try !JPEGStructure(parsing: CameraFrame.jfif()).lacksHuffmanTables)
        #expect(structure.trailingByteCount == 900 && structure.damage == nil && structure.restartCount == 0)
    }

    @Test("Rejects a frame cut at any byte")
    func everyCutIsFound() throws {
        let frame = try CameraFrame.uvc(width: 64, height: 32, padding: 0)
        // Without its end marker, all of its data is there.
        for count in 0..<frame.count - 2 {
            #expect(throws: JPEGProblem.self) { try JPEGStructure(parsing: Array(frame.prefix(count))) }
        }
        #expect(try JPEGStructure(parsing: frame).endOffset == frame.count)
    }

    @Test("Names each defect")
    func defectsAreNamed() throws {
        let frame = try CameraFrame.jfif()
        #expect(problem([]) == .truncated(byteCount: 0))
        #expect(problem([7, 7]) == .noStartOfImage)
        #expect(problem(Array(frame.dropFirst())) == .noStartOfImage)
        #expect(problem([0xFF, 0xD8]) == .truncated(byteCount: 2))
        #expect(problem([0xFF, 0xD8, 0xFF, 0xD9]) == .noScan)
        #expect(problem([0xFF, 0xD8, 0x00, 0x11]) == .badSegment(at: 2))
        #expect(problem([0xFF, 0xD8, 0xFF, 0xE1, 0, 1, 0]) == .badSegment(at: 2))
        #expect(problem([0xFF, 0xD8, 0xFF, 0xD8, 0, 4, 0, 0]) == .badSegment(at: 2))
        #expect(problem(Array(frame.dropLast(20))) == .noEndOfImage)
        #expect(try problem(without([0xC0], frame)) == .noFrameHeader)
        #expect(try problem(without([0xDB], frame)) == .noQuantizationTable(0))
        #expect(try problem(replacing(0xC0, by: 0xC3, frame)) == .unsupportedFrame(marker: 0xC3))
        #expect(try problem(replacing(0xC0, by: 0xC9, frame)) == .unsupportedFrame(marker: 0xC9))
    }

    @Test("Rejects half a set of Huffman tables")
    func partialTables() throws {
        let frame = try CameraFrame.jfif()
        let tables = try JPEGStructure(parsing: frame).segments.filter { $0.marker == 0xC4 }
        let last = try #require(tables.last)
        #expect(tables.count == 4)
        #expect(
            problem(Array(frame[..<last.range.lowerBound] + frame[last.range.upperBound...])) == .noHuffmanTable(17))
    }

    @Test("Rejects zero height or width")
    func emptyFrames() throws {
        let frame = try CameraFrame.jfif()
        let header = try #require(try JPEGStructure(parsing: frame).segments.first { $0.marker == 0xC0 })
        for offset in [1, 3] {
            var empty = frame
            empty.replaceSubrange(
                header.payload.lowerBound + offset..<header.payload.lowerBound + offset + 2, with: [0, 0])
            #expect(problem(empty) == .badSegment(at: header.range.lowerBound))
        }
    }

    @Test("Detects lost restart intervals")
    func restartMarkers() throws {
        #expect(try restarts(CameraFrame.withRestarts()) == 3)
        for markers in [[0xD0, 0xD1], [0xD0, 0xD2, 0xD3], [], [0xD0, 0xD1, 0xD2, 0xD3]] as [[UInt8]] {
            #expect(try JPEGStructure(parsing: CameraFrame.withRestarts(markers)).damage != nil)
        }
    }

    @Test("Detects a frame spliced of two")
    func splicedFrames() throws {
        let first = try CameraFrame.jfif(seed: 1)
        let second = try CameraFrame.jfif(seed: 2)
        let half = first.count / 2
        #expect(problem(Array(first[..<half] + second)) == .unexpectedMarker(0xD8, at: half))
        let marked = Array(first[..<half] + [0xFF, 0x42] + first[half...])
        #expect(try JPEGStructure(parsing: marked).damage == .unexpectedMarker(0x42, at: half))
    }

    @Test("Handles damaged frames within their bytes")
    func mutationsNeverTrap() throws {
        var generator = SeededGenerator(seed: 3)
        let seeds = [
            try CameraFrame.uvc(width: 64, height: 32), try CameraFrame.jfif(width: 64, height: 32),
            CameraFrame.withRestarts(),
        ]
        var (accepted, refused) = (0, 0)
        for round in 0..<6000 {
            var bytes = seeds[round % seeds.count]
            mutate(&bytes, &generator)
            do throws(JPEGProblem) {
                let structure = try JPEGStructure(parsing: bytes)
                #expect(structure.endOffset <= bytes.count && structure.entropyOffset < structure.endOffset)
                let still = try JPEGRewriter.stillBytes(from: bytes, exif: EXIFDescription(make: "x"))
                #expect(try JPEGStructure(parsing: still).frame == structure.frame)
                #expect(try JPEGRewriter.pixelBytes(of: still) == JPEGRewriter.pixelBytes(of: bytes))
                accepted += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 1000)
    }

    /// Overwrites, removes, doubles and cuts.
    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...6, using: &generator) where bytes.count > 8 {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let nearby = Int.random(in: 0..<min(700, bytes.count), using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes.removeSubrange(position..<min(position + 3, bytes.count))
            case 1: bytes.insert(contentsOf: bytes[nearby..<min(nearby + 20, bytes.count)], at: nearby)
            case 2: bytes.removeLast(Int.random(in: 0..<4, using: &generator))
            case 3: bytes[position] = 0xFF
            default: bytes[nearby] = UInt8(truncatingIfNeeded: generator.next())
            }
        }
    }

    private func restarts(_ frame: [UInt8]) throws -> Int {
        let structure = try JPEGStructure(parsing: frame)
        if let damage = structure.damage { throw damage }
        return structure.restartCount
    }

    private func problem(_ bytes: [UInt8]) -> JPEGProblem? {
        do throws(JPEGProblem) { _ = try JPEGStructure(parsing: bytes) } catch { return error }
        return nil
    }

    private func without(_ markers: [UInt8], _ frame: [UInt8]) throws -> [UInt8] {
        let structure = try JPEGStructure(parsing: frame)
        let kept = structure.segments.filter { !markers.contains($0.marker) }.flatMap { frame[$0.range] }
        return [0xFF, 0xD8] + kept + frame[structure.entropyOffset...]
    }

    private func replacing(_ marker: UInt8, by other: UInt8, _ frame: [UInt8]) throws -> [UInt8] {
        var changed = frame
        for segment in try JPEGStructure(parsing: frame).segments where segment.marker == marker {
            changed[segment.range.lowerBound + 1] = other
        }
        return changed
    }
}
