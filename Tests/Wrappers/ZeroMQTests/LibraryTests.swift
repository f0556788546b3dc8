import CZeroMQ
import Foundation
import Testing

@testable import ZeroMQ

@Suite struct LibraryTests {
    @Test("A program is told to be hardened where it is linked with the patched libzmq, and only there")
    func linked() throws {
        // Where the function of libzmq that this program calls lies.
        let version:
            @convention(c) (UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?)
                -> Void = unsafe zmq_version
        let file = try #require(try mappedFile(at: unsafe unsafeBitCast(version, to: UInt.self)))
        #expect(ZeroMQLibrary.linked.isHardened == !file.contains("/libzmq.so"), "\(file)")
        #expect(ZeroMQLibrary.linked.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    /// The file that is mapped at an address of this process (proc_pid_maps(5)).
    private func mappedFile(at address: UInt) throws -> String? {
        for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, (bounds[0]..<bounds[1]).contains(address) { return fields.last.map(String.init) }
        }
        return nil
    }

    @Test("A library without the patch is not hardened, whatever its version")
    func patches() {
        #expect(ZeroMQLibrary(version: "4.3.4", patches: ["x", "no-output-after-io-error"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: ["keep-libsodium-open"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: []).isHardened)
    }
}
