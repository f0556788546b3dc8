internal import ArgumentParser

/// A subcommand that does something: it returns or throws, and this turns both into output and exit status.
protocol CapctlCommand: AsyncParsableCommand {
    /// Does what the command says.
    /// - Returns: The exit status; failures without any result are thrown.
    func perform(_ console: Console) async throws -> CommandStatus
}

extension CapctlCommand {
    mutating func run() async throws {
        let status = await outcome(.standard)
        if status != .complete { throw ExitCode(status.rawValue) }
    }

    /// Performs the command and tells a failure to the person.
    func outcome(_ console: Console) async -> CommandStatus {
        do {
            return try await perform(console)
        } catch {
            console.endProgress()
            console.note("capctl: \(error)\n")
            return CommandStatus(of: error)
        }
    }
}
