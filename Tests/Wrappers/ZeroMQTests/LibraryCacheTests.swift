import Foundation
import Testing

/// `tools/libzmq --where` names what is linked into every program, so it must not name what somebody else can write.
@Suite struct LibraryCacheTests {
    private static let tools = URL(filePath: #filePath).appending(path: "../../../../tools").standardized
    private let cache = URL.temporaryDirectory.appending(path: UUID().uuidString)

    private struct Outcome {
        var output: String
        var errors: String
    }

    /// Runs a shell command in `tools` with no more of an environment than is said.
    private func run(_ command: String, _ environment: [String: String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = Self.tools
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(texts)")
        return Outcome(output: texts[0], errors: texts[1])
    }

    private func setMode(_ mode: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    /// The folder that the tool would build, with an archive of its own in it.
    private func fill() throws -> URL {
        let key = try run("{ cat libzmq libzmq.patches/*.patch; uname -m; } | sha256sum | cut -c 1-16", [:]).output
        let version = try run("sed -n 's/^version=//p' libzmq", [:]).output
        let name = "\(version)-\(key)".filter { !$0.isWhitespace }
        let folder = cache.appending(path: "caprig/libzmq/\(name)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        _ = try run(
            "umask 022; cd '\(folder.path)'; echo archive >libzmq.a; sha256sum libzmq.a >libzmq.a.sha256", [:])
        return folder
    }

    private func place() throws -> String {
        try run("./libzmq --where", ["XDG_CACHE_HOME": cache.path]).output.trimmingCharacters(in: .newlines)
    }

    @Test("A build is named where it is whole, and not where its archive is another one")
    func damaged() throws {
        let folder = try fill()
        defer { try? FileManager.default.removeItem(at: cache) }
        #expect(try place() == folder.path)
        try Data("another".utf8).write(to: folder.appending(path: "libzmq.a"))
        #expect(try place() == "")
    }

    @Test("A cache that others can write to is neither named nor built in")
    func writableByOthers() throws {
        let folder = try fill()
        defer { try? FileManager.default.removeItem(at: cache) }
        let above = folder.deletingLastPathComponent()
        for url in [folder.appending(path: "libzmq.a"), folder, above, above.deletingLastPathComponent()] {
            let mode = url.pathExtension == "a" ? 0o644 : 0o755
            for writable in [0o020, 0o002] {
                try setMode(mode | writable, of: url)
                #expect(try place() == "", "\(url.path)")
                let refused = try run("./libzmq", ["XDG_CACHE_HOME": cache.path])
                #expect(refused.errors.contains("others can write to \(url.path);"), "\(refused.errors)")
            }
            try setMode(mode, of: url)
        }
        #expect(try place() == folder.path)
    }

    @Test("Where nothing says where a cache is, none is made in a folder that all can write to")
    func noHome() throws {
        #expect(try run("./libzmq --where", [:]).output == "")
        let refused = try run("./libzmq", [:])
        #expect(refused.errors.contains("neither HOME nor XDG_CACHE_HOME"), "\(refused.errors)")
    }
}
