import API
import Files
import Glibc
import School
import Testing

@Suite struct Spools {
    @Test(arguments: [(ENOSPC, 507), (EDQUOT, 507), (EIO, 500)])
    func `a spool without free space is reported as a full disk`(number: Int32, status: Int) {
        let error = FileError("write", "/x", number)
        #expect(Problem(explaining: error, constraints: [:]).status == status)
    }
}
