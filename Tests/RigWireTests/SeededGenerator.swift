/// A repeatable source of random numbers (SplitMix64), so that a failing value can be made again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        // One in eight is an end of the range, where conversions go wrong.
        switch UInt8.random(in: 0..<8, using: &self) {
        case 0: Bool.random(using: &self) ? range.lowerBound : range.upperBound
        default: Int64.random(in: range, using: &self)
        }
    }

    mutating func text(_ alphabet: String, _ count: ClosedRange<Int>) -> String {
        let characters = Array(alphabet)
        return String((0..<Int.random(in: count, using: &self)).map { _ in pick(characters) })
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func maybe<Value>(_ make: (inout SeededGenerator) throws -> Value) rethrows -> Value? {
        Bool.random(using: &self) ? try make(&self) : nil
    }

    mutating func list<Value>(_ count: ClosedRange<Int>, _ make: (inout SeededGenerator) throws -> Value) rethrows
        -> [Value]
    {
        var values: [Value] = []
        for _ in 0..<Int.random(in: count, using: &self) {
            values.append(try make(&self))
        }
        return values
    }
}
