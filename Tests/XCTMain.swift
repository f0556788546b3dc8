import Testing

/// The entry point of the tests' program, as SwiftPM generates it but for the discovery of XCTest's tests. That reads an index of all
/// sources, which takes time to write and has no other reader here: `make` builds with `--disable-index-store`.
@main
struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
