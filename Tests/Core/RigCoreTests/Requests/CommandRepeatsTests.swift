import CaptureModel
import CaptureTestSupport
import RigSecurity
import RigTestSupport
import Testing

import class PosixSupport.Locked

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct CommandRepeatsTests {
    private let repeats = CommandRepeats<KeyCommand>()
    private let carriedOut = Locked(0)
    private let invite: KeyCommand

    init() throws { invite = .invite(try KeyName("left-arm"), .node) }

    private func requester(_ number: UInt64?, _ name: String = "anna") throws -> Requester {
        var requester = Requester(
            try #require(Principal(claimed: name)), Set(Permission.allCases), Samples.requester())
        requester.requestNumber = number
        return requester
    }

    private func ask(_ number: UInt64?, _ command: KeyCommand? = nil, by name: String = "anna") async throws {
        _ = try await repeats.once(command ?? invite, by: try requester(number, name)) { [carriedOut] in
            carriedOut.withLock { $0 += 1 }
            return .gatewayNoted
        }
    }

    private func askInVain(_ number: UInt64) async throws {
        _ = try await repeats.once(invite, by: try requester(number)) { [carriedOut] in
            carriedOut.withLock { $0 += 1 }
            throw RigProblem(.conflict, "the name is taken")
        }
    }

    @Test func `A repeat has the answer of the first, and no further effect`() async throws {
        for _ in 1...3 { try await ask(7) }
        #expect(carriedOut.withLock(\.self) == 1)
    }

    @Test func `Commands without a number, with another one and of others are carried out`() async throws {
        for number in [nil, nil, 7, 8] as [UInt64?] { try await ask(number) }
        try await ask(7, by: "berta")
        #expect(carriedOut.withLock(\.self) == 5)
    }

    @Test func `Another command with the number is refused`() async throws {
        try await ask(7)
        let problem = await #expect(throws: RigProblem.self) { try await ask(7, .endRotation) }
        #expect(problem?.code == .conflict)
    }

    @Test func `A repeat of a refused command is refused alike`() async throws {
        for _ in 1...2 { await #expect(throws: RigProblem.self) { try await askInVain(7) } }
        #expect(carriedOut.withLock(\.self) == 1)
    }

    @Test func `A repeat waits for the first, which goes on when nobody waits for it`() async throws {
        let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            _ = try await repeats.once(invite, by: try requester(7)) { [carriedOut] in
                isBegun.yield()
                for await _ in gate { break }
                carriedOut.withLock { $0 += 1 }
                return .gatewayNoted
            }
        }
        for await _ in begun { break }
        first.cancel()
        let second = Task { try await ask(7) }
        open.yield()
        try await second.value
        #expect(carriedOut.withLock(\.self) == 1)
    }

    @Test func `The newest numbers are known`() async throws {
        for number in 1...UInt64(CommandRepeats<KeyCommand>.limit) + 1 { try await ask(number) }
        let count = carriedOut.withLock(\.self)
        try await ask(2)
        #expect(carriedOut.withLock(\.self) == count)
        try await ask(1)
        #expect(carriedOut.withLock(\.self) == count + 1)
    }
}
