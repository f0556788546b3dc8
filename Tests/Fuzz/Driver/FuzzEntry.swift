import Glibc

/// What libFuzzer calls with each input. `FUZZ` in the environment names the target, since libFuzzer takes every word of
/// the command line for itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try ChosenTarget.target.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        // Ends the process, by which libFuzzer knows and keeps the input.
        fatalError("\(ChosenTarget.target.rawValue): \(error)")
    }
    return 0
}
