import Glibc
import Testing

@testable import Mosquitto

/// Against the library and sockets of this machine. `Tests/Interop/test_mqtt.py` has a broker.
@Suite struct ConnectionTests {
    /// A TCP port that nobody else gets while this exists.
    private final class Port {
        let descriptor: CInt
        let number: UInt16

        init(listens: Bool) throws {
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
                }
            }
            try #require(result)
            number = UInt16(bigEndian: address.sin_port)
            if listens { try #require(listen(descriptor, 1) == 0) }
        }

        deinit { close(descriptor) }
    }

    private func ending(_ settings: MQTTSettings) async throws -> MQTTError {
        let connection = try MQTTConnection(settings)
        for await event in connection.events { Issue.record("\(event)") }
        return try #require(connection.ending)
    }

    @Test(arguments: [nil, MQTTTLS.systemAuthorities])
    func `A port at which nobody listens is told at once, with and without TLS`(tls: MQTTTLS?) async throws {
        let port = try Port(listens: false)
        var settings = MQTTSettings(host: "127.0.0.1", port: port.number, clientID: "test")
        settings.tls = tls
        let error = try await ending(settings)
        #expect(error.code == .unreachable)
        #expect(error.description.contains("127.0.0.1:\(port.number): Connection refused; check that the broker runs"))
    }

    @Test func `A name without an address is told`() async throws {
        let error = try await ending(MQTTSettings(host: "no-such-host.invalid", port: 1883, clientID: "test"))
        #expect(error.code == .unreachable)
        #expect(error.description.contains("its name has no address"))
    }

    @Test func `A file of authorities that does not exist is told`() async throws {
        var settings = MQTTSettings(host: "127.0.0.1", port: 1883, clientID: "test")
        settings.tls = .authorities(file: "/dev/null/none")
        #expect(try await ending(settings).code == .unusable)
    }

    @Test(arguments: [nil, MQTTTLS.systemAuthorities])
    func `A connection to a server that is silent is ended when asked`(tls: MQTTTLS?) async throws {
        let port = try Port(listens: true)
        var settings = MQTTSettings(host: "127.0.0.1", port: port.number, clientID: "test")
        settings.tls = tls
        let connection = try MQTTConnection(settings)
        connection.publish(state: MQTTMessage("a", []))
        connection.close(leaving: .quietly)
        for await _ in connection.end {}
        #expect(connection.ending?.code == .closed)
        #expect(connection.counters == MQTTConnection.Counters())
    }
}
