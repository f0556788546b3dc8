import ImageMetadata
import Testing
import TurboJPEG

/// What is a whole picture, libjpeg-turbo says: a decoder that warns of nothing.
@Suite("The end of a JPEG, and whether it is whole")
struct JPEGEndTests {
    private static let pictures: [[UInt8]] = [
        (try? CameraFrame.jfif(width: 64, height: 32)) ?? [], SampleJPEGs.progressive, SampleJPEGs.threeScans,
        SampleJPEGs.restarting,
    ]

    private func decodes(_ bytes: [UInt8]) throws -> Bool {
        do throws(TurboJPEGError) {
            try JPEGDecoder().verify(bytes.span)
            return true
        } catch {
            return false
        }
    }

    private func structure(_ bytes: [UInt8]) -> JPEGStructure? { try? JPEGStructure(parsing: bytes) }

    @Test("Ends a picture at the first end marker of its scan, whatever follows it", arguments: 0..<4)
    func trailing(_ number: Int) throws {
        let picture = Self.pictures[number]
        #expect(try decodes(picture))
        let older = try CameraFrame.jfif(width: 64, height: 32, seed: 2)
        let appended: [[UInt8]] = [
            [], Array("MAKER\0\u{1}\u{2}".utf8), [UInt8](repeating: 0xFF, count: 16), Array(older.suffix(300)), older,
            [0xFF, 0xD9], [0, 0, 0, 0x20] + Array("ftypisom".utf8) + older, [UInt8](repeating: 0, count: 500),
        ]
        for rest in appended {
            let found = try JPEGStructure(parsing: picture + rest)
            #expect(found.endOffset == picture.count && found.hasEndMarker && found.damage == nil)
            #expect(found.trailingByteCount == rest.count)
            #expect(try found.completed((picture + rest).span) == picture)
        }
    }

    @Test("Passes over the end markers of thumbnails in segments")
    func thumbnails() throws {
        let thumbnail = try CameraFrame.jfif(width: 32, height: 16, seed: 9)
        for picture in Self.pictures {
            let image = CameraFrame.inserting(0xE1, Array("Exif\0\0".utf8) + thumbnail, into: picture)
            let found = try JPEGStructure(parsing: image + thumbnail)
            #expect(found.endOffset == image.count && found.trailingByteCount == thumbnail.count)
        }
    }

    @Test("Keeps a picture without an end marker exactly if the decoder misses nothing in it", arguments: [0, 3])
    func unended(_ number: Int) throws {
        let picture = Self.pictures[number]
        let entropy = try JPEGStructure(parsing: picture).entropyOffset
        var (whole, torn) = (0, 0)
        for count in entropy...picture.count - 2 {
            let cut = Array(picture.prefix(count))
            let isWhole = try decodes(cut + [0xFF, 0xD9])
            for rest in [[], [UInt8](repeating: 0, count: 4000), Array(picture.prefix(700))] as [[UInt8]] {
                let found = structure(cut + rest)
                #expect((found != nil) == isWhole, "cut after \(count) bytes, \(rest.count) follow")
                guard let found else { continue }
                #expect(!found.hasEndMarker && found.endOffset <= count)
                let completed = try found.completed((cut + rest).span)
                #expect(try decodes(completed) && completed.suffix(2) == [0xFF, 0xD9])
            }
            if isWhole { whole += 1 } else { torn += 1 }
        }
        #expect(whole > 0 && torn > 50)
    }

    @Test("Counts the units of a picture whose Huffman tables the camera leaves out")
    func unendedWithoutTables() throws {
        let frame = try CameraFrame.uvc(width: 64, height: 32, padding: 0)
        let cut = Array(frame.dropLast(2))
        let found = try JPEGStructure(parsing: cut + [UInt8](repeating: 0, count: 900))
        #expect(found.lacksHuffmanTables && found.endOffset == cut.count)
        let completed = try found.completed((cut + [UInt8](repeating: 0, count: 900)).span)
        #expect(try decodes(completed))
        #expect(try JPEGRewriter.pixelBytes(of: completed) == JPEGRewriter.pixelBytes(of: frame))
        #expect(structure(Array(frame.dropLast(20)) + [UInt8](repeating: 0, count: 900)) == nil, "zeros are not units")
    }

    @Test("Calls a picture of several scans torn without an end marker", arguments: [1, 2])
    func scansUnended(_ number: Int) {
        #expect(structure(Array(Self.pictures[number].dropLast(2))) == nil)
    }

    @Test("Finds lost and disordered restart intervals, which the decoder finds too")
    func restarts() throws {
        let picture = SampleJPEGs.restarting
        let markers = picture.indices.dropLast().filter {
            picture[$0] == 0xFF && (0xD0...0xD7).contains(picture[$0 + 1])
        }
        #expect(markers.count == 5)
        var damaged: [[UInt8]] = [Array(picture[..<markers[4]] + [0xFF, 0xD9])]
        for index in 0..<4 {
            damaged.append(Array(picture[..<markers[index]] + picture[markers[index + 1]...]))
            var swapped = picture
            swapped[markers[index] + 1] = picture[markers[index + 1] + 1]
            damaged.append(swapped)
        }
        for bytes in damaged {
            #expect(try !decodes(bytes), "the decoder finds it too")
            let found = try JPEGStructure(parsing: bytes)
            guard case .restartMarkersMissing = found.damage else {
                Issue.record("\(found.damage as Any)")
                continue
            }
        }
        #expect(try JPEGStructure(parsing: picture).damage == nil)
    }

    @Test("Accepts extra bytes before a restart marker, as some cameras send them")
    func extraBytes() throws {
        let picture = SampleJPEGs.restarting
        let marker = try #require(picture.indices.dropLast().first { picture[$0] == 0xFF && picture[$0 + 1] == 0xD2 })
        for extra in [[0], [0x55], [0xFF], [0xFF, 0]] as [[UInt8]] {
            let bytes = Array(picture[..<marker] + extra + picture[marker...])
            let found = try JPEGStructure(parsing: bytes)
            #expect(found.damage == nil && found.endOffset == bytes.count)
        }
    }

    @Test("Asks for further bytes while the end of a picture may follow")
    func continued() throws {
        for picture in Self.pictures {
            for count in 0..<picture.count {
                let cut = Array(picture.prefix(count))
                #expect(throws: JPEGProblem.truncated(byteCount: count)) {
                    try JPEGStructure(parsing: cut, isContinued: true)
                }
            }
            #expect(try JPEGStructure(parsing: picture + picture, isContinued: true).endOffset == picture.count)
        }
    }
}
