internal import Foundation

/// Where the daemons' programs are.
struct DaemonPrograms: Equatable {
    var coordinator: String
    var agent: String

    /// - Parameter folder: nil: the folder of this very program.
    /// - Throws: ``CommandFailure`` that names the missing one.
    init(folder: String?) throws {
        let folder = folder.map(AbsolutePath.of) ?? Self.ownFolder
        coordinator = try Self.program("capcoordd", in: folder)
        agent = try Self.program("capagentd", in: folder)
    }

    private static var ownFolder: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return (own as NSString).deletingLastPathComponent
    }

    private static func program(_ name: String, in folder: String) throws -> String {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                .other,
                "\(path) is no program that can be run; build it (`swift build`), or say with --bin-dir where it is")
        }
        return path
    }
}
