import PosixSupport
import ZeroMQ

@testable import ClientContexts
@testable import KeyFiles

/// The file of a key pair.
enum KeyFileFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let pair = try? KeyFile.pair(in: bytes, of: "k") else { return }
        let written = KeyFileText.secret(
            pair, of: String(decoding: bytes, as: UTF8.self), created: UTCDate(realtimeNanoseconds: 0))
        try FuzzFinding.unless(written.count <= KeyFileText.byteLimit, "a key file is longer than one may be")
        let again = try KeyFile.pair(in: written, of: "k")
        try FuzzFinding.unless(
            again.publicKey == pair.publicKey && again.secretKey.bytes == pair.secretKey.bytes,
            "a key file that was written has another key")
    }
}

/// The `contexts.json` of a person.
enum ContextsFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let list = try? ContextDocument.contexts(in: bytes, of: "contexts.json") else { return }
        let written = try ContextDocument.encoded(list, for: "contexts.json")
        let again = try ContextDocument.contexts(in: written, of: "contexts.json")
        try FuzzFinding.unless(again == list, "contexts that were written say something else")
        let names = Set(list.contexts.map(\.name))
        try FuzzFinding.unless(names.count == list.contexts.count, "two contexts have one name")
        try FuzzFinding.unless(list.current.map(names.contains) ?? true, "no context has the current one's name")
    }
}
