internal import ArgumentParser

/// Options of every command that reads shots.
struct ShotSourceOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions

    @Option(help: "Read this library folder instead of asking a coordinator.")
    var library: String?

    /// Calls `body` with the source that the options name.
    func withSource<Result>(
        _ console: Console, _ body: (any ShotSource) async throws -> Result
    ) async throws -> Result {
        if let library { return try await body(LibraryShots(folder: library, note: console.note)) }
        return try await rig.withClient { try await body(CoordinatorShots(client: $0)) }
    }
}
