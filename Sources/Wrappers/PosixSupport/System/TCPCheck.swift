internal import CPosix
internal import Glibc

/// Finds out what a TCP address is good for, by binding or connecting a socket that is closed again at once.
public enum TCPCheck {
    /// What answered an attempt to connect.
    public enum Answer: Hashable, Sendable {
        /// A program accepted the connection.
        case open(Connection)
        /// The machine answered that no program listens there (`ECONNREFUSED`).
        case refused
        /// Nothing answered in time: the machine is off, or something between drops the packets.
        case silent
        /// The system refused to connect, for example since there is no route.
        case failed(PosixError)
    }

    /// What the kernel knows of a connection.
    public struct Connection: Hashable, Sendable {
        /// The bytes of the largest packet on the way there; nil if it is unknown.
        public var packetBytes: Int?
        /// The numeric address of this machine on the connection.
        public var ownAddress: String

        public init(packetBytes: Int?, ownAddress: String) {
            self.packetBytes = packetBytes
            self.ownAddress = ownAddress
        }
    }

    /// Returns why no program can listen there at present; nil if one can. Does not wait.
    /// - Parameter address: A numeric address; nil for all addresses of this machine.
    public static func obstacle(toListeningOn address: String?, port: UInt16) -> PosixError? {
        let result = unsafe caprig_try_listen(address, port)
        guard result != 0 else { return nil }
        return PosixError(code: -result, operation: "listen on", subject: "\(address ?? "*") port \(port)")
    }

    /// Connects. Blocks until there is an answer, at most for `patience`.
    /// - Parameter address: A numeric address.
    public static func connect(to address: String, port: UInt16, within patience: Duration) -> Answer {
        var mtu: CInt = 0
        var own = [CChar](repeating: 0, count: HostAddresses.textSize)
        let (seconds, rest) = patience.components
        let milliseconds = CInt(clamping: seconds * 1000 + rest / 1_000_000_000_000_000)
        let result = unsafe caprig_try_connect(address, port, milliseconds, &mtu, &own, own.count)
        switch -result {
        case 0:
            let text = String(decoding: own.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return .open(Connection(packetBytes: mtu > 0 ? Int(mtu) : nil, ownAddress: text))
        case ECONNREFUSED: return .refused
        case ETIMEDOUT: return .silent
        case let code:
            return .failed(PosixError(code: code, operation: "connect to", subject: "\(address) port \(port)"))
        }
    }
}
