import CaptureTestSupport
import ClientContexts
import Glibc
import KeyFiles
import RigConfiguration
import Testing
import ZeroMQ

enum Sample {
    static let key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

    static func context(_ name: String, port: UInt16 = 7713) throws -> ClientContext {
        try ClientContext(
            name: ContextName(name), coordinator: TCPEndpoint(host: "192.168.10.1", port: port),
            coordinatorKey: try #require(CurvePublicKey(key)),
            keyFile: "/srv/anna/.config/caprig/keys/\(name).key_secret")
    }

    static func list(_ names: String..., current: String? = nil) throws -> ContextList {
        var list = ContextList()
        for name in names { try list.add(try context(name)) }
        if let current { try list.use(ContextName(current)) }
        return list
    }
}
