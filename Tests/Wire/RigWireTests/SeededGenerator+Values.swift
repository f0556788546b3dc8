import CaptureTestSupport

extension SeededGenerator {
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
