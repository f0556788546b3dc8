import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@Suite struct ServiceManagerTests {
    @Test func `A service manager is told through a socket in the file system`() throws {
        let scratch = try TemporaryFolder()
        let listener = try DatagramListener(at: "\(scratch.path)/notify")
        let manager = try #require(ServiceManager(environment: [ServiceManager.variable: "\(scratch.path)/notify"]))
        try manager.tellReady()
        #expect(listener.receive() == "READY=1")
    }

    @Test func `A service manager is told through a socket of the abstract namespace`() throws {
        let name = "caprig-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let listener = try DatagramListener(at: "\0\(name)")
        let manager = try #require(ServiceManager(environment: [ServiceManager.variable: "@\(name)"]))
        try manager.tellReady()
        #expect(listener.receive() == "READY=1")
    }

    @Test func `Without a service manager there is nobody to tell`() {
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: [ServiceManager.variable: ""]) == nil)
    }

    @Test(arguments: [
        ("/nowhere/notify", ENOENT), ("notify", EINVAL), ("@", EINVAL),
        ("/\(String(repeating: "a", count: 120))", ENAMETOOLONG),
    ])
    func `A socket that cannot be reached is named, with the reason`(address: String, code: CInt) throws {
        let manager = try #require(ServiceManager(environment: [ServiceManager.variable: address]))
        let error = #expect(throws: PosixError.self) { try manager.tellReady() }
        #expect(error?.code == code && error?.subject == address)
    }
}

/// A bound datagram socket.
private final class DatagramListener {
    private let file: CInt

    /// - Parameter name: A path, or a zero byte and a name of the abstract namespace.
    init(at name: String) throws {
        file = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let isAbstract = bytes.first == 0
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(file, $0, size) }
        }
        try #require(result == 0)
    }

    deinit { close(file) }

    /// The next datagram, which has arrived already.
    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(file, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
