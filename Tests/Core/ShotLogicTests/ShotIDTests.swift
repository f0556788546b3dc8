import CaptureModel
import CaptureTestSupport
import Testing

/// The id of a shot, beside the example of RFC 9562, appendix A.6.
struct ShotIDTests {
    private let example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test func `the example of the RFC is read in either case, and written as it was`() throws {
        let id = try #require(ShotID(example.uppercased()))
        #expect(id == ShotID(example) && id.description == example)
        #expect(id.unixMilliseconds == 1_645_557_742_000)
        #expect(id.bytes.prefix(8) == [0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3])
        #expect(id.bytes.suffix(8) == [0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F])
        #expect(ShotID(bytes: id.bytes) == id)
    }

    @Test(arguments: [
        "", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3--8c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é",
    ])
    func `what is no UUIDv7 is no id`(text: String) {
        #expect(ShotID(text) == nil)
    }

    @Test func `bytes that are too many, too few or of another version are no id`() throws {
        let bytes = try #require(ShotID(example)).bytes
        #expect(ShotID(bytes: bytes.dropLast()) == nil && ShotID(bytes: bytes + [0]) == nil)
        for (index, bits) in [(6, 0x80), (8, 0x40)] {
            var other = bytes
            other[index] ^= UInt8(bits)
            #expect(ShotID(bytes: other) == nil)
        }
    }

    @Test func `fresh ids sort by their time, in text as in bytes, and come back from both`() {
        var generator = SeededGenerator(seed: 7)
        let ids = (0..<200).map { ShotID(unixMilliseconds: 1 << ($0 % 48), using: &generator) }
        for id in ids { #expect(ShotID(id.description) == id && ShotID(bytes: id.bytes) == id) }
        #expect((0..<200).allSatisfy { ids[$0].unixMilliseconds == 1 << ($0 % 48) })
        #expect(Set(ids).count == ids.count)
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
        #expect(ids.sorted() == ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    }
}
