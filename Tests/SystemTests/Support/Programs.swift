import CaptureTestSupport
import Foundation
import Testing

/// The release programs under test; `CAPRIG_BIN` names their folder.
enum Programs {
    static let variable = "CAPRIG_BIN"

    static var folder: String? { ProcessInfo.processInfo.environment[variable] }

    /// Whether tests run: where the programs are named, and always where `CI=true`, so that there a missing name is a
    /// failure.
    static var areExpected: Bool { folder != nil || isCI }

    static var isCI: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }

    /// Whether a test that only root can run runs: as root, and always where `CI=true`.
    static var isRootExpected: Bool { geteuid() == 0 || isCI }

    /// - Throws: ``SystemTestError`` where the variable is not set or the program is not there.
    static func path(_ name: String) throws -> String {
        guard let folder else { throw SystemTestError("\(variable) is not set; it names the folder of the programs") }
        let path = URL(filePath: folder).appending(path: name).path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw SystemTestError("\(path) is no program; \(variable) names the folder of the programs")
        }
        return path
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPrograms: Self {
        .enabled(if: Programs.areExpected, "needs release programs; CAPRIG_BIN names their folder")
    }

    static var needsRoot: Self { .enabled(if: Programs.isRootExpected, "needs root") }

    static func needs(_ tools: String...) -> Self {
        .enabled(if: tools.allSatisfy(ExternalTool.isExpected), "needs \(tools.joined(separator: " and "))")
    }
}

/// Why a test cannot go on.
struct SystemTestError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Every test of this target, one after another: each has processes of its own and the machine to itself.
@Suite("system", .serialized, .needsPrograms) enum System {}
