import CaptureTestSupport
import Foundation

/// Runs `capctl` as a user does.
struct Capctl: Sendable {
    /// Where logs go.
    let folder: String
    /// The coordinator's client endpoint.
    var coordinator: String?
    /// How long a command may take unless it is told otherwise.
    static let limit = Duration.seconds(40)

    /// How a command ended and what it said.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// What the command printed as JSON.
        func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(output.utf8))
            } catch {
                throw SystemTestError("this is no \(type): \(error)\n\(output.prefix(2000))\n\(errors)")
            }
        }
    }

    /// Starts a command and goes on.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
        var environment = environment
        environment["CAPRIG_COORDINATOR"] = coordinator
        return try RunningProgram(
            "capctl \(arguments.joined(separator: " "))", program: Programs.path("capctl"), arguments: arguments,
            environment: environment, log: "\(folder)/capctl-\(UUID().uuidString.prefix(8)).log")
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ arguments: String..., within limit: Duration = Capctl.limit) async throws -> Outcome {
        try await run(arguments, within: limit)
    }

    @discardableResult
    func run(_ arguments: [String], within limit: Duration = Capctl.limit) async throws -> Outcome {
        try await Self.outcome(of: try start(arguments), within: limit)
    }

    /// Waits for the end of a command that was started.
    static func outcome(of program: RunningProgram, within limit: Duration = Capctl.limit) async throws -> Outcome {
        let output = try await program.restOfOutput(within: limit)
        return Outcome(status: try await program.exitStatus(within: limit), output: output, errors: program.log)
    }

    /// Runs a command that prints JSON.
    func ask<Answer: Decodable>(_ type: Answer.Type, _ arguments: String...) async throws -> Answer {
        try await Self.outcome(of: try start(arguments + ["--format", "json"])).json(type)
    }
}
