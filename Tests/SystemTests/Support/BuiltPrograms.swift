import CaptureTestSupport
import Foundation

/// Programs that cameras of the tests need, each built once from the sources against this machine's libraries.
actor BuiltPrograms {
    static let shared = BuiltPrograms()

    private var folders: [String: TemporaryFolder] = [:]

    /// The helper program of a kind of cameras.
    /// - Parameter kind: Its folder below `deploy`, such as `gphoto`.
    func helper(_ kind: String) async throws -> String {
        let place = try await folder(of: kind) { [SourceTree.path("deploy/\(kind)/build"), "\($0)/caprig-\(kind)"] }
        return "\(place)/caprig-\(kind)"
    }

    /// The folder of `cameras` and `shim.so`, with which an agent sees V4L2 cameras that are programs.
    func cameras() async throws -> String {
        try await folder(of: "cameras") { folder in
            let make = ["env", "-u", "MAKEFLAGS", "make", "-C", SourceTree.path("Benchmarks/Camera")]
            return make + ["OUT=\(folder)", "\(folder)/cameras", "\(folder)/shim.so"]
        }
    }

    private func folder(of name: String, _ command: (String) -> [String]) async throws -> String {
        if let built = folders[name] { return built.path }
        let folder = try TemporaryFolder()
        let build = try RunningProgram(
            "build \(name)", program: "/usr/bin/env", arguments: command(folder.path), log: folder.path + "/build.log")
        guard try await build.exitStatus(within: .seconds(600)) == 0 else {
            throw SystemTestError("\(name) cannot be built:\n\(build.log)")
        }
        folders[name] = folder
        return folder.path
    }
}
