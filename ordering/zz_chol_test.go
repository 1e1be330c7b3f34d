package ordering_test
import ("testing";"gonum.org/v1/gonum/mat";"math/rand/v2";"math";"gonum.org/v1/gonum/blas/blas64";"gonum.org/v1/gonum/blas")
func kmat(n int) *mat.SymDense { rng:=rand.New(rand.NewPCG(1,1)); x:=mat.NewDense(n,10,nil); for i:=range n{for j:=range 10{x.Set(i,j,rng.NormFloat64())}}
 k:=mat.NewSymDense(n,nil); for i:=range n{for j:=i;j<n;j++{s:=0.0;for c:=range 10{d:=x.At(i,c)-x.At(j,c);s+=d*d};v:=math.Exp(-s/40)/4; if i==j{v+=1e-3}; k.SetSym(i,j,v)}}; return k}
func BenchmarkZZChol(b *testing.B){ k:=kmat(1000); for b.Loop(){ var c mat.Cholesky; if !c.Factorize(k){b.Fatal()} } }
func BenchmarkZZGemmNT(b *testing.B){ n:=500; a:=blas64.General{Rows:n,Cols:n,Stride:n,Data:make([]float64,n*n)}; c:=blas64.General{Rows:n,Cols:n,Stride:n,Data:make([]float64,n*n)}; for b.Loop(){ blas64.Gemm(blas.NoTrans,blas.Trans,-1,a,a,1,c)}}
func BenchmarkZZGemmNN(b *testing.B){ n:=500; a:=blas64.General{Rows:n,Cols:n,Stride:n,Data:make([]float64,n*n)}; c:=blas64.General{Rows:n,Cols:n,Stride:n,Data:make([]float64,n*n)}; for b.Loop(){ blas64.Gemm(blas.NoTrans,blas.NoTrans,-1,a,a,1,c)}}
func BenchmarkZZSyrk(b *testing.B){ n:=500; a:=blas64.General{Rows:n,Cols:n,Stride:n,Data:make([]float64,n*n)}; c:=blas64.Symmetric{N:n,Stride:n,Data:make([]float64,n*n),Uplo:blas.Lower}; for b.Loop(){ blas64.Syrk(blas.NoTrans,-1,a,1,c)}}
