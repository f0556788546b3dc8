import Foundation
import Testing

@testable import ZeroMQ

@Suite struct LibraryTests {
    @Test("A program is told to be hardened where it is linked with the patched libzmq, and only there")
    func linked() throws {
        _ = try ZeroMQContext()
        let files = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        #expect(ZeroMQLibrary.linked.isHardened == !files.contains("/libzmq.so"))
        #expect(ZeroMQLibrary.linked.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    @Test("A library without the patch is not hardened, whatever its version")
    func patches() {
        #expect(ZeroMQLibrary(version: "4.3.4", patches: ["x", "no-output-after-io-error"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: ["keep-libsodium-open"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: []).isHardened)
    }
}
