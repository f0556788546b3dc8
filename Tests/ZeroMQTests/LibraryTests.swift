import CZeroMQ
import Glibc
import Testing

@testable import ZeroMQ

@Suite struct LibraryTests {
    @Test("A program is told to be hardened where it is linked with the patched libzmq, and only there")
    func linked() throws {
        // Where the function of libzmq that this program calls lies.
        let version:
            @convention(c) (UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?)
                -> Void = zmq_version
        var place = unsafe Dl_info()
        try #require(unsafe dladdr(unsafeBitCast(version, to: UnsafeRawPointer.self), &place) != 0)
        let file = unsafe String(cString: place.dli_fname)
        #expect(ZeroMQLibrary.linked.isHardened == !file.contains("/libzmq.so"), "\(file)")
        #expect(ZeroMQLibrary.linked.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    @Test("A library without the patch is not hardened, whatever its version")
    func patches() {
        #expect(ZeroMQLibrary(version: "4.3.4", patches: ["x", "no-output-after-io-error"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: ["keep-libsodium-open"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: []).isHardened)
    }
}
