import Testing

/// A rig that all tests of a suite share: it is started before the first of them, and has to end in order after the last.
struct SharedRig: SuiteTrait, TestScoping {
    private let plans: [NodePlan]

    init(_ plans: [NodePlan]) {
        self.plans = plans
    }

    @TaskLocal private static var running: TestRig?

    /// The rig of the suite whose test calls.
    static var current: TestRig {
        get throws {
            guard let running else { throw SystemTestError("the suite of this test has no rig") }
            return running
        }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let rig = try await TestRig.started(plans)
        try await Self.$running.withValue(rig) { try await function() }
        try await rig.end()
    }
}

extension Trait where Self == SharedRig {
    static func sharing(_ plans: [NodePlan]) -> Self { SharedRig(plans) }
}
