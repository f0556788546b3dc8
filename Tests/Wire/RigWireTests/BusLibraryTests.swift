import CaptureModel
import RigProtocol
import RigWire
import Testing

@Suite struct BusLibraryTests {
    @Test(
        "A version that is no word is refused",
        arguments: [
            Hostile<WireBusLibrary>("version", "empty") { $0.version = "" },
            Hostile("version", "with an escape") { $0.version = "\u{1B}[2J" },
            Hostile("version", "with a space") { $0.version = "4.3.4 ok" },
            Hostile("version", "too long") { $0.version = String(repeating: "4", count: 65) },
        ])
    func hostile(_ hostile: Hostile<WireBusLibrary>) {
        hostile.check(BusLibrary(version: "4.3.4", isHardened: true).wire) { _ = try BusLibrary(wire: $0) }
    }

    @Test("A library is read as it was written", arguments: [false, true])
    func roundTrip(isHardened: Bool) throws {
        let library = BusLibrary(version: "4.3.4", isHardened: isHardened)
        #expect(try BusLibrary(wire: library.wire) == library)
    }
}
