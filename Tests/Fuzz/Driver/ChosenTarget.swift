import Glibc

/// The target that this process fuzzes.
enum ChosenTarget {
    static let target: FuzzTarget = {
        let name = unsafe getenv("FUZZ").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
            print("FUZZ must be one of: \(names)")
            exit(2)
        }
        return target
    }()
}
