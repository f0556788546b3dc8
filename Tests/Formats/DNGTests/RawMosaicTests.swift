import DNG
import Testing

@Suite struct RawMosaicTests {
    @Test("Unpacks a packed frame to the sensor's samples", arguments: [8, 10, 12, 14, 16])
    func unpacks(bits: Int) throws {
        // Widths that leave groups of packed samples incomplete.
        for width in [96, 97, 98, 99] {
            let image = SensorImage(width, 9, bits: bits, content: .chance)
            for packing in image.packings {
                let mosaic = try image.mosaic(packing)
                #expect(mosaic.samples == image.samples, "\(image) as \(packing)")
                #expect(try mosaic.frame(packing) == image.frame(packing), "\(image) as \(packing)")
            }
        }
    }

    @Test("Reads MIPI's packed bytes in the documented order")
    func readsDocumentedBytes() throws {
        // docs.kernel.org, pixfmt-srggb10p, -12p and -14p: high bits first, then the low ones of the first sample lowest.
        func samples(_ bytes: [UInt8], bits: Int, count: Int) throws -> [UInt16] {
            try RawMosaic(
                unpacking: bytes.span, packing: .mipi, width: count, height: 1, bits: bits, order: .bggr
            ).samples
        }
        #expect(try samples([0xFF, 0, 0x80, 0, 0b11_01_00_10], bits: 10, count: 4) == [0x3FE, 0, 0x201, 3])
        #expect(try samples([0xAB, 0x12, 0x3C], bits: 12, count: 2) == [0xABC, 0x123])
        // Low bits 63, 63, 33 and 4.
        let packed: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0b11_111111, 0b0001_1111, 0b000100_10]
        #expect(try samples(packed, bits: 14, count: 4) == [0x7F, 0xBF, 0xE1, 0x104])
    }

    @Test("Masks stray high bits")
    func clips() throws {
        let mosaic = try RawMosaic(
            unpacking: [0xFF, 0xFF, 0x00, 0x04, 0xFF, 0x03, 0x01, 0x00].span, packing: .words, width: 2, height: 2,
            bits: 10, order: .rggb)
        #expect(mosaic.samples == [1023, 1023, 1023, 1])
    }

    @Test("Rejects frames that are too short, or have no size or packing")
    func refuses() {
        func error(_ count: Int, _ width: Int, _ height: Int, _ bits: Int, _ packing: RawPacking) -> DNGError? {
            let bytes = [UInt8](repeating: 0, count: count)
            do throws(DNGError) {
                _ = try RawMosaic(
                    unpacking: bytes.span, packing: packing, width: width, height: height, bits: bits, order: .gbrg)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(11, 3, 4, 8, .bytes) == .truncated(needed: 12, given: 11))
        #expect(error(9, 5, 1, 10, .mipi) == .truncated(needed: 10, given: 9))
        #expect(error(0, 65535, 65535, 16, .words) == .truncated(needed: 65535 * 65535 * 2, given: 0))
        for (width, height) in [(0, 4), (4, 0), (-1, 4), (65536, 1), (1, .max)] {
            #expect(error(4, width, height, 8, .bytes) == .invalidSize(width: width, height: height))
        }
        for (bits, packing) in [
            (7, RawPacking.bytes), (10, .bytes), (8, .words), (17, .words), (16, .mipi), (8, .mipi),
        ] {
            #expect(error(64, 4, 4, bits, packing) == .unsupportedPacking(packing, bits: bits))
        }
    }
}
