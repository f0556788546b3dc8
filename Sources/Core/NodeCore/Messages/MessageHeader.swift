package import CaptureModel

/// The runs of coordinator and agent between which a message passes.
package struct MessageHeader: Hashable, Sendable {
    /// The coordinator that sent it; nil if the message does not name one.
    package var coordinator: Epoch?
    /// Whether it is meant for this run of the agent.
    package var isForThisLife: Bool

    package init(coordinator: Epoch?, isForThisLife: Bool) {
        self.coordinator = coordinator
        self.isForThisLife = isForThisLife
    }
}
