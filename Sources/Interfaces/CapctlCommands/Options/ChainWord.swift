internal import ArgumentParser
internal import CaptureModel
internal import Synchronization

/// A value of `--type` or `--position` with its place among all of them on the command line.
///
/// The argument parser hands out the values of each option in order, but not how those of two options interleave. It
/// makes values strictly from left to right, so a running number taken then keeps the order.
struct ChainWord: ExpressibleByArgument, Equatable {
    var place: Int
    var text: String

    private static let lastPlace = Atomic<Int>(0)

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        place = Self.lastPlace.add(1, ordering: .relaxed).newValue
        text = argument
    }
}

extension TypeAndPosition {
    /// The chain that the words say: every `--type` begins a step, a `--position` right after a `--type` belongs to
    /// that step, and any other `--position` is a step of its own.
    static func chain(types: [ChainWord], positions: [ChainWord]) -> [TypeAndPosition] {
        let words = types.map { ($0, isType: true) } + positions.map { ($0, isType: false) }
        var chain: [TypeAndPosition] = []
        var followsType = false
        for (word, isType) in words.sorted(by: { $0.0.place < $1.0.place }) {
            if isType {
                chain.append(TypeAndPosition(type: DeviceType(rawValue: word.text)))
            } else if followsType, let step = chain.indices.last {
                chain[step].position = Position(rawValue: word.text)
            } else {
                chain.append(TypeAndPosition(position: Position(rawValue: word.text)))
            }
            followsType = isType
        }
        return chain
    }
}
